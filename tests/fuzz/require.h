// A check of a fuzz target: libFuzzer reports an abort as a finding.
#pragma once

#include <cstdlib>

namespace auth_errors::fuzz {

inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace auth_errors::fuzz
