// Small value types that the database layer speaks in. Plain values, free to use on any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace auth_errors::database {

using Deadline = std::chrono::steady_clock::time_point;

// A timestamptz. Timestamp::max() and Timestamp::min() stand for infinity and -infinity.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

using Bytes = std::span<const std::byte>;

// JSON text that is bound as jsonb; the server validates it.
struct Jsonb {
  std::string_view text;
};

}  // namespace auth_errors::database
