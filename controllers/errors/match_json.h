// The conditions of a rule or a split as JSON: parsed strictly, written with every condition. Pure.
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

// Problems are reported under names such as "match.httpStatus". An empty condition is a problem
// too: if it were ignored, it would match every error.
triage::ErrorMatch readMatch(const Json::Value& object, std::vector<FieldError>& problems);

encoding::JsonText matchToJson(const triage::ErrorMatch& match);

}  // namespace auth_errors::controllers
