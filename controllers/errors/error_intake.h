// Turns the text of one submitted error into an error that can be stored: decodes, validates,
// normalises, scrubs, and restricts a bound key to its service. One object for all I/O loops;
// immutable except for the counters. If any step fails, nothing of the error is passed on.
#pragma once

#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <prometheus/counter.h>

#include "controllers/errors/auth_error_request.h"
#include "controllers/http/problem.h"
#include "domain/errors/submission.h"
#include "platform/telemetry/metrics.h"

namespace auth_errors::controllers {

class ErrorIntake {
 public:
  ErrorIntake(domain::AcceptanceRules rules, telemetry::Metrics& metrics);

  // `boundService` is the only serviceName allowed for the key, if it is bound to one.
  [[nodiscard]] std::expected<domain::AcceptedError, Refusal> take(
      std::string_view json, const std::optional<std::string>& boundService) const;

 private:
  domain::AcceptanceRules rules_;
  prometheus::Counter& unknownFields_;
  std::array<prometheus::Counter*, domain::kRedactionKinds.size()> redactions_{};
};

// Only decodes.
std::expected<DecodedSubmission, Refusal> readSubmission(std::string_view json);

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems);

}  // namespace auth_errors::controllers
