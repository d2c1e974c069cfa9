// Turns the text of one submitted error into an error that can be stored: decodes, validates,
// normalises, scrubs, and restricts a bound key to its service. One object for all I/O loops;
// immutable except for the counters. If any step fails, nothing of the error is passed on.
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

  // `boundService` is the only serviceName allowed for the key, if it is bound to one.
  [[nodiscard]] std::expected<domain::AcceptedError, Refusal> take(
      std::string_view json, const std::optional<std::string>& boundService) const;

 private:
  domain::AcceptanceRules rules_;
  Metrics& metrics_;
};

// Only decodes.
std::expected<DecodedSubmission, Refusal> readSubmission(std::string_view json);

}  // namespace auth_errors::controllers
