// The key that a value belongs to: password=x, "password": "x", <Password>x, password -> b'x'.
// Pure functions: any thread. A few tokens before the value are looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "domain/scrub/line.h"

namespace auth_errors::domain {

enum class Sign : std::uint8_t {
  none,
  assigned,  // key=x, key => x, <key>x
  stated,    // key: x, key -> x
};

struct Key {
  Sign sign = Sign::none;
  std::size_t token = kNoToken;  // a sign may stand there without a key before it
  Family family = Family::none;

  [[nodiscard]] bool named() const { return token != kNoToken; }
};

// The key of the value at token `i`.
Key keyOf(const Line& line, std::size_t i);

// The value at token `i` names a secret: Elasticsearch's "api key [VuaCfGcBCdbkQm-e5aOx]",
// Dovecot's session=<Qm3t8bLxYtzGM2Qe>.
bool isIdOfSecret(const Line& line, std::size_t i);

}  // namespace auth_errors::domain
