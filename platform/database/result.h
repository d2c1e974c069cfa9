// The rows of one statement. Immutable and shared by copies; any thread may read it. Views returned
// by value<std::string_view>() live as long as a copy of the Result does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "platform/database/types.h"

namespace auth_errors::database {

// The code asked for a type, a row or a column that the result does not have.
class ResultMismatch : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class Result {
 public:
  class Data;

  Result() = default;
  explicit Result(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] bool empty() const { return rows() == 0; }
  // Rows inserted, updated, deleted or selected, as the server counts them.
  [[nodiscard]] std::size_t affectedRows() const;
  // The position of the column of this name.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  [[nodiscard]] bool isNull(std::size_t row, std::size_t column) const;

  // T is bool, int32_t, int64_t, double, string_view, string, Timestamp, vector<byte> (bytea), a
  // vector of int32_t, int64_t, string or optional<string> (one-dimensional arrays), or an
  // optional of those; NULL goes only into an optional. Narrower integers widen; else the type must
  // fit.
  template <typename T>
  [[nodiscard]] T value(std::size_t row, std::size_t column) const {
    Reader<T> reader;
    return reader.read(*this, row, column);
  }

 private:
  template <typename T>
  struct Reader {
    T read(const Result& result, std::size_t row, std::size_t column) const {
      T out{};
      result.read(row, column, out);
      return out;
    }
  };
  template <typename T>
  struct Reader<std::optional<T>> {
    std::optional<T> read(const Result& result, std::size_t row, std::size_t column) const {
      if (result.isNull(row, column)) {
        return std::nullopt;
      }
      return Reader<T>{}.read(result, row, column);
    }
  };

  void read(std::size_t row, std::size_t column, bool& out) const;
  void read(std::size_t row, std::size_t column, std::int32_t& out) const;
  void read(std::size_t row, std::size_t column, std::int64_t& out) const;
  void read(std::size_t row, std::size_t column, double& out) const;
  void read(std::size_t row, std::size_t column, std::string_view& out) const;
  void read(std::size_t row, std::size_t column, std::string& out) const;
  void read(std::size_t row, std::size_t column, Timestamp& out) const;
  void read(std::size_t row, std::size_t column, std::vector<std::byte>& out) const;
  void read(std::size_t row, std::size_t column, std::vector<std::int32_t>& out) const;
  void read(std::size_t row, std::size_t column, std::vector<std::int64_t>& out) const;
  void read(std::size_t row, std::size_t column, std::vector<std::string>& out) const;
  void read(std::size_t row, std::size_t column,
            std::vector<std::optional<std::string>>& out) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace auth_errors::database
