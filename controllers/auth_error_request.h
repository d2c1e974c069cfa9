// The body of POST /api/auth-errors: from JSON to a Submission. Pure.
#pragma once

#include <vector>

#include <json/value.h>

#include "domain/submission.h"

namespace auth_errors::controllers {

struct DecodedSubmission {
  domain::Submission submission;
  std::vector<domain::FieldProblem> problems;  // fields of a wrong JSON type
};

// `body` must be an object. Fields that are not known are left alone.
DecodedSubmission decodeSubmission(const Json::Value& body);

}  // namespace auth_errors::controllers
