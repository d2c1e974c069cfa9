// Takes the columns of one row from left to right. As short-lived as the Result it reads.
#pragma once

#include <cstddef>

#include "platform/database/result.h"

namespace auth_errors::database {

class RowReader {
 public:
  RowReader(const Result& result, std::size_t row) : result_(result), row_(row) {}

  template <typename T>
  [[nodiscard]] T take() {
    return result_.value<T>(row_, column_++);
  }
  template <typename T>
  void next(T& value) {
    value = take<T>();
  }

 private:
  const Result& result_;
  std::size_t row_;
  std::size_t column_ = 0;
};

}  // namespace auth_errors::database
