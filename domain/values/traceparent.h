// The W3C Trace Context header `traceparent`, which identifies the trace of a request. Pure; usable
// from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

inline constexpr std::string_view kTraceparentHeader = "traceparent";

// The header in the form of version 00, or nothing if it is invalid and must be ignored. For a
// later version, as the specification requires, only the first four fields count, and of its flags
// only whether the trace is sampled.
std::optional<std::string> readTraceparent(std::string_view header);

}  // namespace auth_errors::domain
