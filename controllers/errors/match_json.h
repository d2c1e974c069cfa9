// The conditions of a rule or a split, as JSON: read strictly, written with every condition. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <json/value.h>

#include "controllers/http/problem.h"
#include "platform/encoding/json_writer.h"
#include "triage/errors/error_match.h"

namespace auth_errors::controllers {

inline constexpr std::string_view kMatchField = "match";
inline constexpr std::string_view kMatchClusterField = "match.clusterId";

// What is wrong goes to the problems, under names such as "match.httpStatus". A condition that is
// given and says nothing is a problem too: left out, it would let every error through.
triage::ErrorMatch readMatch(const Json::Value& object, std::vector<FieldError>& problems);

encoding::JsonText matchToJson(const triage::ErrorMatch& match);

}  // namespace auth_errors::controllers
