// Reads a request body as a JSON object; turns invalid fields into refusals. Pure; any thread.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include <json/value.h>

#include "controllers/http/problem.h"
#include "domain/errors/submission.h"

namespace auth_errors::controllers {

std::expected<Json::Value, Refusal> readObject(std::string_view body);

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems);

Refusal invalidFields(const std::vector<domain::FieldProblem>& problems);
Refusal invalidFields(std::vector<FieldError> errors);

}  // namespace auth_errors::controllers
