#include "platform/security/api_key.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>

#include "domain/errors/submission.h"
#include "domain/scrub/sanitiser.h"
#include "domain/values/ascii.h"
#include "platform/hashing/digest.h"
#include "platform/security/token_bucket.h"

namespace auth_errors::security {
namespace {

constexpr std::string_view kPrefix = "aek_";
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kRandomCharacters = 43;
// Labels of metrics, for requests without a key and for names beyond the limit.
constexpr std::array<std::string_view, 2> kReservedNames = {"none", "other"};

bool isName(std::string_view text) {
  return domain::isPlainName(text) && domain::isAlnum(text.front());
}

// Errors store it unchanged, so it must be a fixed point of the sanitiser.
bool isServiceName(const std::string& text) {
  const std::size_t limit = domain::ruleOf(domain::TextField::serviceName).limit;
  const auto sanitised = domain::sanitise(text, limit, domain::ScrubContext{});
  return sanitised.text == text;
}

}  // namespace

std::string_view toText(KeyRole role) { return kKeyRoleNames.at(std::to_underlying(role)).second; }

std::string makeSecret() {
  std::array<std::byte, kRandomBytes> random{};
  hashing::fillRandom(random);
  return std::string(kPrefix) + hashing::toBase64Url(random);
}

bool isSecret(std::string_view text) {
  return text.size() == kPrefix.size() + kRandomCharacters && text.starts_with(kPrefix) &&
         domain::allOf(text.substr(kPrefix.size()), domain::kBase64UrlChar);
}

std::expected<NewKey, std::vector<domain::FieldProblem>> checkKeyRequest(
    KeyRequest request, std::vector<domain::FieldProblem> problems) {
  const auto refuse = [&](std::string_view field, std::string_view code, std::string message) {
    problems.push_back({.field = field, .code = code, .message = std::move(message)});
  };
  const auto requireAndCheck = [&](std::string_view field, const auto& value, auto isValid,
                                   std::string message) {
    if (!value && !std::ranges::contains(problems, field, &domain::FieldProblem::field)) {
      refuse(field, "required", "is required");
    } else if (value && !isValid(*value)) {
      refuse(field, "invalid", std::move(message));
    }
  };
  requireAndCheck(
      key_field::kName, request.name, isName,
      std::format(
          "must be 1 to {} letters, digits, '.', '_' and '-', starting with a letter or a digit",
          domain::kMaxPlainName));
  if (request.name && std::ranges::contains(kReservedNames, *request.name)) {
    refuse(key_field::kName, "invalid", "is a reserved name");
  }
  if (request.name && isName(*request.name) && domain::holdsSecret(*request.name)) {
    refuse(key_field::kName, "secret", std::string(domain::kLooksLikeSecret));
  }
  const auto role = domain::fromText<KeyRole>(request.role.value_or(""));
  requireAndCheck(
      key_field::kRole, request.role, [&](const std::string&) { return role.has_value(); },
      "must be ingest, viewer or operator");
  if (request.serviceName && role && role != KeyRole::ingest) {
    refuse(key_field::kServiceName, "invalid", "is only allowed for ingest keys");
  } else if (request.serviceName && !isServiceName(*request.serviceName)) {
    refuse(key_field::kServiceName, "invalid",
           "must be 1 to 255 characters without leading or trailing blanks, and must not look like "
           "a secret");
  }
  if (request.rateLimit && (*request.rateLimit < 0 || *request.rateLimit > kMaxRate)) {
    refuse(key_field::kRateLimit, "invalid",
           std::format("must be the requests per second, from 0 (unlimited) to {}", kMaxRate));
  }
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  NewKey key{.name = *std::move(request.name),
             .role = *role,
             .serviceName = std::move(request.serviceName),
             .rateLimit = {}};
  if (request.rateLimit) {
    key.rateLimit = static_cast<std::int32_t>(*request.rateLimit);
  }
  return key;
}

}  // namespace auth_errors::security
