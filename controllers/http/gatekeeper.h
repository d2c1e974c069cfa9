// Decides who may come in, before anything of a request but its headers is looked at: first the
// address's rate, so that guessing keys is limited too, then the key, the key's rate and its role.
// One object for all IO loops; it keeps only the buckets. The time of a decision is the request's.
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

// The headers that may hold a key, as they were sent; empty if they were not.
struct Credentials {
  std::string_view authorization;
  std::string_view apiKey;
};

// The one key that was sent, empty if there was none; an error if there were two different ones.
// An Authorization of another scheme than Bearer is none of ours, and no key.
std::expected<std::string_view, Refusal> sentKey(const Credentials& credentials);

class Gatekeeper {
 public:
  // Null before the keys were loaded for the first time. Called on every IO loop.
  using Ring = std::function<std::shared_ptr<const security::KeyRing>()>;

  Gatekeeper(Ring ring, security::Rate perAddress)
      : ring_(std::move(ring)), addresses_(perAddress) {}

  // Clients on this machine have no limit.
  std::optional<Refusal> admitAddress(const RequestContext& context);
  // Notes the caller in the context as soon as the key is known, also if it is then refused.
  std::optional<Refusal> admitCaller(RequestContext& context, const Credentials& credentials,
                                     Access access) const;

 private:
  Ring ring_;
  security::AddressLimiter addresses_;
};

}  // namespace auth_errors::controllers
