// Bounds of the value after a label: quoted, wrapped in a language's notation, an element, a cell,
// a list, a block. Pure functions: any thread. Each reads a bounded part of the text or no more
// than the value.
#pragma once

#include <cstddef>
#include <optional>

#include "domain/scrub/secret_separators.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

struct Value {
  std::size_t begin;
  std::size_t end;
  bool quoted;  // has an explicit end and may contain blanks
};

// nullopt if there is no value, or if it is already redacted.
std::optional<Value> valueOf(const Scan& scan, const Separator& separator);

}  // namespace auth_errors::domain
