// From the text of one submitted error to an error that may be stored: decode, validate, normalise,
// scrub, and hold the key to the service it is bound to. One object for all IO loops; immutable but
// for the counters. If any step fails, nothing of the error goes further.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/errors/auth_error_request.h"
#include "controllers/http/metrics.h"
#include "controllers/http/problem.h"
#include "domain/errors/submission.h"

namespace auth_errors::controllers {

class ErrorIntake {
 public:
  ErrorIntake(domain::AcceptanceRules rules, Metrics& metrics);

  // `boundService` is the serviceName that the key may speak for, if it is bound to one.
  [[nodiscard]] std::expected<domain::AcceptedError, Refusal> take(
      std::string_view json, const std::optional<std::string>& boundService) const;

 private:
  domain::AcceptanceRules rules_;
  Metrics& metrics_;
};

// The decoding alone.
std::expected<DecodedSubmission, Refusal> readSubmission(std::string_view json);

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems);

}  // namespace auth_errors::controllers
