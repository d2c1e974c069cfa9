// The first column of a result as ids, for statements that end in RETURNING id. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/database/result.h"

namespace auth_errors::database {

inline std::vector<std::int64_t> idsOf(const Result& result) {
  std::vector<std::int64_t> ids;
  ids.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    ids.push_back(result.value<std::int64_t>(row, 0));
  }
  return ids;
}

}  // namespace auth_errors::database
