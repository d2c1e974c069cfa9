// Free loopback ports between 20000 and 32000, below the ephemeral range. Thread-safe. A port stays
// reserved until the process ends, also against parallel tests, so a server may be restarted on it.
#pragma once

#include <cstdint>

namespace auth_errors::tests {

// Throws std::runtime_error if every port is taken.
std::uint16_t freePort();

}  // namespace auth_errors::tests
