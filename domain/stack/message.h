// A message without what differs from one occurrence of a fault to the next.
// A pure function: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// What stands for each value that was left out. Redaction markers become it as well, so whether and
// as what a value was redacted makes no difference.
inline constexpr std::string_view kParameter = "<*>";

// Ids, numbers, hashes, dates, addresses, paths and quoted values become kParameter, and several of
// them in a row one. Doing it again changes nothing.
std::string parameterised(std::string_view message);

}  // namespace auth_errors::domain
