#include "controllers/errors/error_intake.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {
namespace {

domain::Instant now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems) {
  ProblemDetails details;
  for (const domain::FieldProblem& problem : problems) {
    details.errors.push_back({.field = std::string(problem.field),
                              .code = std::string(problem.code),
                              .message = problem.message});
  }
  return details;
}

std::expected<DecodedSubmission, Refusal> readSubmission(std::string_view json) {
  const auto body = encoding::readJsonObject(json);
  if (!body) {
    return std::unexpected(
        Refusal{.reason = RejectReason::malformedJson, .details = {.detail = body.error()}});
  }
  return decodeSubmission(*body);
}

ErrorIntake::ErrorIntake(domain::AcceptanceRules rules, telemetry::Metrics& metrics)
    : rules_(std::move(rules)), unknownFields_(metrics.ingestUnknownFields()) {
  std::ranges::transform(
      domain::kRedactionKinds, redactions_.begin(),
      [&](const domain::RedactionKindRow& row) { return &metrics.ingestRedactions(row.label); });
}

std::expected<domain::AcceptedError, Refusal> ErrorIntake::take(
    std::string_view json, const std::optional<std::string>& boundService) const {
  auto decoded = readSubmission(json);
  if (!decoded) {
    return std::unexpected(std::move(decoded.error()));
  }
  if (decoded->unknownFields > 0) {
    unknownFields_.Increment(static_cast<double>(decoded->unknownFields));
  }
  if (boundService) {
    auto& serviceName = decoded->submission.text(domain::TextField::serviceName);
    if (serviceName && *serviceName != *boundService) {
      return std::unexpected(
          Refusal{.reason = RejectReason::forbidden,
                  .details = {.detail = "The key may only send errors of its own serviceName."}});
    }
    serviceName = *boundService;
  }
  auto accepted = domain::accept(std::move(decoded->submission), now(), decoded->problems, rules_);
  if (!accepted) {
    return std::unexpected(
        Refusal{.reason = RejectReason::invalidFields, .details = detailsOf(accepted.error())});
  }
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = accepted->redactions.of(row.kind); count > 0) {
      redactions_.at(domain::indexOf(row.kind))->Increment(count);
    }
  }
  return *std::move(accepted);
}

}  // namespace auth_errors::controllers
