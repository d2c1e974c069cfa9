// Whether a value is a secret: asks the rules in their order, from the surest to the last resort.
// A pure function: any thread. A bounded number of neighbours is looked at.
#pragma once

#include <cstddef>
#include <optional>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"

namespace auth_errors::domain {

// What the value that begins with token `i` is redacted as; nullopt if it stays.
std::optional<RedactionKind> judge(const Line& line, std::size_t i, const Site& site);

}  // namespace auth_errors::domain
