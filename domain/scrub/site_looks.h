// The last rule for a value, applied if no label decides: a value that looks generated is a secret.
// Pure functions: any thread; linear in the value.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"

namespace auth_errors::domain {

std::optional<RedactionKind> byLooks(const Line& line, std::size_t i, const Site& site,
                                     std::string_view value);

}  // namespace auth_errors::domain
