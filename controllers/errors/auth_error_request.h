// The body of POST /api/auth-errors: from JSON to a Submission. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include <json/value.h>

#include "domain/errors/submission.h"

namespace auth_errors::controllers {

struct DecodedSubmission {
  domain::Submission submission;
  std::vector<domain::FieldProblem> problems;  // fields with the wrong JSON type
  std::size_t unknownFields = 0;               // ignored
};

// REQUIRES: `body` is an object.
DecodedSubmission decodeSubmission(const Json::Value& body);

}  // namespace auth_errors::controllers
