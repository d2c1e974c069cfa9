#include "controllers/http/gatekeeper.h"

#include <string>

#include <strings.h>

#include "domain/values/ascii.h"

namespace auth_errors::controllers {
namespace {

constexpr std::string_view kScheme = "Bearer ";

Refusal refusal(RejectReason reason, std::string detail) {
  return {.reason = reason, .details = {.detail = std::move(detail)}};
}

Refusal tooMany(security::TokenBucket::Wait wait, std::string_view whose) {
  return {.reason = RejectReason::rateLimited,
          .details = {.detail = "The rate limit of " + std::string(whose) + " is exhausted.",
                      .retryAfter = security::toRetryAfter(wait)}};
}

}  // namespace

std::expected<std::string_view, Refusal> sentKey(const Credentials& credentials) {
  const bool bearer =
      credentials.authorization.size() > kScheme.size() &&
      ::strncasecmp(credentials.authorization.data(), kScheme.data(), kScheme.size()) == 0;
  const std::string_view token =
      bearer ? domain::trimmed(credentials.authorization.substr(kScheme.size()), domain::kBlanks)
             : std::string_view{};
  const std::string_view apiKey = domain::trimmed(credentials.apiKey, domain::kBlanks);
  if (!token.empty() && !apiKey.empty() && token != apiKey) {
    return std::unexpected(refusal(RejectReason::unauthenticated,
                                   "The request has two different keys; send only one."));
  }
  return token.empty() ? apiKey : token;
}

std::optional<Refusal> Gatekeeper::admitAddress(const RequestContext& context) {
  const auto wait =
      context.local ? std::nullopt : addresses_.take(context.client, context.startedAt);
  return wait ? std::optional(tooMany(*wait, "this address")) : std::nullopt;
}

std::optional<Refusal> Gatekeeper::admitCaller(RequestContext& context,
                                               const Credentials& credentials,
                                               Access access) const {
  const auto secret = sentKey(credentials);
  if (!secret) {
    return secret.error();
  }
  if (secret->empty()) {
    return refusal(RejectReason::unauthenticated,
                   "Send a key as Authorization: Bearer KEY or as X-API-Key: KEY.");
  }
  const auto ring = ring_();
  if (ring == nullptr) {
    return refusal(RejectReason::databaseUnavailable, "The keys have not been loaded yet.");
  }
  context.caller = ring->find(*secret);
  if (context.caller == nullptr) {
    return refusal(RejectReason::unauthenticated, "The key is unknown or has been revoked.");
  }
  const auto wait = context.rateLimited() ? context.caller->take(context.startedAt) : std::nullopt;
  if (wait) {
    return tooMany(*wait, "this key");
  }
  const auto& role = context.caller->key().role;
  if (!role.value() || !permits(access, *role.value())) {
    return refusal(RejectReason::forbidden,
                   "Keys with the role " + role.text() + " may not do this.");
  }
  return std::nullopt;
}

}  // namespace auth_errors::controllers
