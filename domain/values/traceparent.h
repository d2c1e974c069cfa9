// The W3C Trace Context header `traceparent`: which trace a request belongs to. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

inline constexpr std::string_view kTraceparentHeader = "traceparent";

// The header in the form of version 00, or nothing if it is not valid; then it is as if it had not
// been sent. Of a later version the first four fields count, as the specification asks, and of its
// flags only whether the trace is sampled.
std::optional<std::string> readTraceparent(std::string_view header);

}  // namespace auth_errors::domain
