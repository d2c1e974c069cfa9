// The rows of one statement. Immutable and shared by copies; any thread may read it. Views read
// from it (std::string_view) are valid as long as a copy of the Result exists.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/values/names.h"
#include "platform/database/types.h"

namespace auth_errors::database {

// The code requested a type, a row or a column that the result does not have.
class ResultMismatch : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace wire {

template <typename T>
struct IsCell : std::is_enum<T> {};
template <typename T>
  requires(std::same_as<T, bool> || std::same_as<T, std::int32_t> ||
           std::same_as<T, std::int64_t> || std::same_as<T, double> ||
           std::same_as<T, std::string_view> || std::same_as<T, std::string> ||
           std::same_as<T, Timestamp>)
struct IsCell<T> : std::true_type {};
template <typename T>
struct IsCell<std::vector<T>> : std::true_type {};
template <typename T>
struct IsCell<std::optional<T>> : std::true_type {};
template <typename Tag>
struct IsCell<domain::Id<Tag>> : std::true_type {};
template <typename Tag>
struct IsCell<domain::Name<Tag>> : std::true_type {};
template <typename Value>
struct IsCell<domain::StoredName<Value>> : std::true_type {};

template <typename T>
concept Cell = IsCell<T>::value;

// References to the fields of a struct, in their order.
template <typename T>
auto fieldsOf(T& value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wc++26-extensions"
  auto& [... fields] = value;
#pragma GCC diagnostic pop
  return std::tie(fields...);
}

template <typename T>
constexpr std::size_t columnsOf() {
  if constexpr (Cell<T>) {
    return 1;
  } else {
    return []<typename... Fields>(std::type_identity<std::tuple<Fields&...>>) {
      return (std::size_t{0} + ... + columnsOf<Fields>());
    }(std::type_identity<decltype(fieldsOf(std::declval<T&>()))>{});
  }
}

}  // namespace wire

class Result {
 public:
  class Data;

  Result() = default;
  explicit Result(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] bool empty() const { return rows() == 0; }
  // Rows inserted, updated, deleted or selected, as reported by the server.
  [[nodiscard]] std::size_t affectedRows() const;

  // Every row, with its columns assigned to T's fields in order: T is a cell, a pair or tuple, or a
  // struct without constructors, whose nested structs are filled likewise. The number of columns
  // must match.
  //
  // A cell is a bool, int32_t, int64_t, double, string_view, string, Timestamp, vector<byte>
  // (bytea), an Id, a Name, a vector of int32_t, int64_t, ids, string or optional<string>
  // (one-dimensional arrays), a StoredName or an enumeration (by its name), or an optional of
  // those; NULL requires an optional. Narrower integers widen; otherwise the type must match.
  template <typename T>
  [[nodiscard]] std::vector<T> as() const {
    expectColumns(wire::columnsOf<T>());
    std::vector<T> out;
    out.reserve(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
      out.push_back(rowAs<T>(row));
    }
    return out;
  }
  // Likewise for results with one column.
  template <wire::Cell T>
  [[nodiscard]] std::vector<T> column() const {
    return as<T>();
  }
  // The first row, if there is one.
  template <typename T>
  [[nodiscard]] std::optional<T> first() const {
    expectColumns(wire::columnsOf<T>());
    return empty() ? std::nullopt : std::optional<T>(rowAs<T>(0));
  }
  // The only row of a statement that always returns one.
  template <typename T>
  [[nodiscard]] T only() const {
    expectColumns(wire::columnsOf<T>());
    return rowAs<T>(0);
  }

 private:
  template <typename T>
  [[nodiscard]] T rowAs(std::size_t row) const {
    T out{};
    std::size_t column = 0;
    fill(row, column, out);
    return out;
  }
  template <typename T>
  void fill(std::size_t row, std::size_t& column, T& out) const {
    if constexpr (wire::Cell<T>) {
      read(row, column++, out);
    } else {
      std::apply([&](auto&... fields) { (fill(row, column, fields), ...); }, wire::fieldsOf(out));
    }
  }

  // Throws ResultMismatch.
  void expectColumns(std::size_t expected) const;
  [[nodiscard]] bool isNull(std::size_t row, std::size_t column) const;

  template <typename T>
  void read(std::size_t row, std::size_t column, std::optional<T>& out) const {
    if (isNull(row, column)) {
      out.reset();
    } else {
      read(row, column, out.emplace());
    }
  }
  template <typename Tag>
  void read(std::size_t row, std::size_t column, domain::Id<Tag>& out) const {
    std::int64_t value = 0;
    read(row, column, value);
    out = domain::Id<Tag>(value);
  }
  template <typename Tag>
  void read(std::size_t row, std::size_t column, std::vector<domain::Id<Tag>>& out) const {
    readBigints(row, column, [&out](std::int64_t value) { out.emplace_back(value); });
  }
  template <typename Tag>
  void read(std::size_t row, std::size_t column, domain::Name<Tag>& out) const {
    std::string text;
    read(row, column, text);
    out = domain::Name<Tag>(std::move(text));
  }
  template <typename Value>
  void read(std::size_t row, std::size_t column, domain::StoredName<Value>& out) const {
    std::string_view text;
    read(row, column, text);
    out = domain::storedName<Value>(text);
  }
  // Throws std::runtime_error for a name unknown to this version.
  template <typename Value>
    requires std::is_enum_v<Value>
  void read(std::size_t row, std::size_t column, Value& out) const {
    std::string_view text;
    read(row, column, text);
    out = domain::known(domain::fromText<Value>(text), "name");
  }
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
  // The elements of an array.
  void readBigints(std::size_t row, std::size_t column,
                   const std::function<void(std::int64_t)>& take) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace auth_errors::database
