#include "controllers/errors/error_intake.h"

#include <chrono>
#include <utility>

#include "controllers/http/request_body.h"

namespace auth_errors::controllers {
namespace {

domain::Instant now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace

std::expected<DecodedSubmission, Refusal> readSubmission(std::string_view json) {
  const auto body = readObject(json);
  if (!body) {
    return std::unexpected(body.error());
  }
  return decodeSubmission(*body);
}

ErrorIntake::ErrorIntake(domain::AcceptanceRules rules, Metrics& metrics)
    : rules_(std::move(rules)), metrics_(metrics) {}

std::expected<domain::AcceptedError, Refusal> ErrorIntake::take(
    std::string_view json, const std::optional<std::string>& boundService) const {
  auto decoded = readSubmission(json);
  if (!decoded) {
    return std::unexpected(std::move(decoded.error()));
  }
  if (decoded->unknownFields > 0) {
    metrics_.unknownFields.add(decoded->unknownFields);
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
    return std::unexpected(invalidFields(accepted.error()));
  }
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = accepted->redactions.of(row.kind); count > 0) {
      metrics_.redactions[row.kind].add(count);
    }
  }
  return *std::move(accepted);
}

}  // namespace auth_errors::controllers
