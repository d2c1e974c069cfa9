// The position of a re-scrub as a job's single number: the table in the upper bits, the key of the
// last examined row in the lower ones. A plain value; usable from any thread.
#pragma once

#include <cstdint>

namespace auth_errors::rescrub {

inline constexpr std::int64_t kErrorTable = 0;

struct ScrubPosition {
  static constexpr int kKeyBits = 56;

  std::int64_t table = kErrorTable;
  std::int64_t key = 0;

  static constexpr ScrubPosition of(std::int64_t encoded) {
    return {.table = encoded >> kKeyBits, .key = encoded & ((std::int64_t{1} << kKeyBits) - 1)};
  }
  [[nodiscard]] constexpr std::int64_t encoded() const { return (table << kKeyBits) | key; }
};

}  // namespace auth_errors::rescrub
