// Small value types of the database layer. Plain values, usable from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace auth_errors::database {

using Deadline = std::chrono::steady_clock::time_point;

// A timestamptz. Timestamp::max() and Timestamp::min() represent infinity and -infinity.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

using Bytes = std::span<const std::byte>;

// JSON text bound as jsonb; the server validates it.
struct Jsonb {
  std::string_view text;
};

}  // namespace auth_errors::database
