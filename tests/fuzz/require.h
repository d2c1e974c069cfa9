// What a fuzz target demands: libFuzzer takes an abort for a finding.
#pragma once

#include <cstdlib>

namespace auth_errors::fuzz {

inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace auth_errors::fuzz
