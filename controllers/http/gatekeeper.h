// Decides whether to admit a request before anything but its headers is examined: first the
// address's rate, so that guessing keys is limited too, then the key, the key's rate and its role.
// One object for all I/O loops; its only state are the token buckets. The time of a decision is
// that of the request.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "controllers/http/problem.h"
#include "controllers/http/request_context.h"
#include "controllers/routes.h"
#include "platform/security/address_limiter.h"
#include "platform/security/key_ring.h"

namespace auth_errors::controllers {

// The headers that may contain a key; empty if absent.
struct Credentials {
  std::string_view authorization;
  std::string_view apiKey;
};

// The key that was sent, empty if there was none; an error if there were two different ones. An
// Authorization with another scheme than Bearer does not count as a key.
std::expected<std::string_view, Refusal> sentKey(const Credentials& credentials);

class Gatekeeper {
 public:
  // Returns null until the keys have been loaded for the first time. Called on every I/O loop.
  using Ring = std::function<std::shared_ptr<const security::KeyRing>()>;

  Gatekeeper(Ring ring, security::Rate perAddress)
      : ring_(std::move(ring)), addresses_(perAddress) {}

  // Clients on this machine have no limit.
  std::optional<Refusal> admitAddress(const RequestContext& context);
  // Records the caller in the context as soon as the key is known, even if it is then refused.
  std::optional<Refusal> admitCaller(RequestContext& context, const Credentials& credentials,
                                     Access access) const;

 private:
  Ring ring_;
  security::AddressLimiter addresses_;
};

}  // namespace auth_errors::controllers
