// Removes from a message whatever differs between occurrences of a fault. A pure function: any
// thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Placeholder for each removed value. Redaction markers become it too, so whether and how a value
// was redacted makes no difference.
inline constexpr std::string_view kParameter = "<*>";

// Replaces ids, numbers, hashes, dates, addresses, paths and quoted values by kParameter, and
// consecutive ones by a single kParameter. Idempotent.
std::string parameterised(std::string_view message);

}  // namespace auth_errors::domain
