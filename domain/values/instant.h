// Points in time as clients send them: ISO-8601 with an offset or Z, seconds optional.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

using Instant = std::chrono::sys_time<std::chrono::microseconds>;

// Digits beyond microseconds are dropped. Years 0001 to 9999; no leap seconds, as in Java.
std::optional<Instant> parseInstant(std::string_view text);

// 2026-01-31T09:30:00.000000Z
std::string formatInstant(Instant instant);

}  // namespace auth_errors::domain
