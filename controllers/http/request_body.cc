#include "controllers/http/request_body.h"

#include <string>
#include <utility>

#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {

std::expected<Json::Value, Refusal> readObject(std::string_view body) {
  return encoding::readJsonObject(body).transform_error([](const std::string& error) {
    return Refusal{.reason = RejectReason::malformedJson, .details = {.detail = error}};
  });
}

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems) {
  ProblemDetails details;
  for (const domain::FieldProblem& problem : problems) {
    details.errors.push_back({.field = std::string(problem.field),
                              .code = std::string(problem.code),
                              .message = problem.message});
  }
  return details;
}

Refusal invalidFields(const std::vector<domain::FieldProblem>& problems) {
  return {.reason = RejectReason::invalidFields, .details = detailsOf(problems)};
}

Refusal invalidFields(std::vector<FieldError> errors) {
  return {.reason = RejectReason::invalidFields, .details = {.errors = std::move(errors)}};
}

}  // namespace auth_errors::controllers
