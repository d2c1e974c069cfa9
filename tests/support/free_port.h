// Free loopback ports between 20000 and 32000, below the ephemeral range. Any thread may ask. A
// port stays reserved for the asking process until it ends, also against parallel tests, so a
// server may be stopped and started on it again.
#pragma once

#include <cstdint>

namespace auth_errors::tests {

// Throws std::runtime_error when every port is taken.
std::uint16_t freePort();

}  // namespace auth_errors::tests
