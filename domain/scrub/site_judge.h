// Decides whether a value is a secret: applies the rules in order, from the most certain to the
// last resort.
// A pure function: any thread. A bounded number of neighbours is examined.
#pragma once

#include <cstddef>
#include <optional>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"

namespace auth_errors::domain {

// The redaction kind of the value that begins with token `i`; nullopt if it is kept.
std::optional<RedactionKind> judge(const Line& line, std::size_t i, const Site& site);

}  // namespace auth_errors::domain
