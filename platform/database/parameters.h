// The values of one statement, created by encoded() and columns(): in PostgreSQL's binary format,
// with explicit types. A plain value that owns its bytes. A value that PostgreSQL cannot represent
// (text with a NUL byte, a timestamp out of range) is refused with an Error that is a data fault;
// nothing is ever truncated.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/values/names.h"
#include "platform/database/types.h"

namespace auth_errors::database {

namespace wire {

// Object ids of PostgreSQL's built-in types, which are fixed in its catalog.
template <typename T>
struct TypeOf;
template <std::uint32_t Single, std::uint32_t Array>
struct Type {
  static constexpr std::uint32_t kSingle = Single;
  static constexpr std::uint32_t kArray = Array;
};
template <>
struct TypeOf<bool> : Type<16, 1000> {};
template <>
struct TypeOf<std::int32_t> : Type<23, 1007> {};
template <>
struct TypeOf<std::int64_t> : Type<20, 1016> {};
template <>
struct TypeOf<double> : Type<701, 1022> {};
template <>
struct TypeOf<std::string_view> : Type<25, 1009> {};
template <>
struct TypeOf<std::string> : Type<25, 1009> {};
template <>
struct TypeOf<Timestamp> : Type<1184, 1185> {};
template <>
struct TypeOf<Bytes> : Type<17, 1001> {};
template <>
struct TypeOf<Jsonb> : Type<3802, 3807> {};
// Counts: bigint.
template <>
struct TypeOf<std::uint64_t> : Type<20, 1016> {};
// Intervals.
template <>
struct TypeOf<std::chrono::microseconds> : Type<1186, 1187> {};
template <>
struct TypeOf<std::chrono::milliseconds> : Type<1186, 1187> {};
template <>
struct TypeOf<std::chrono::seconds> : Type<1186, 1187> {};
template <typename Tag>
struct TypeOf<domain::Id<Tag>> : TypeOf<std::int64_t> {};
template <typename Tag>
struct TypeOf<domain::Name<Tag>> : TypeOf<std::string_view> {};
// Enumerations are passed as text, by name.
template <typename Value>
struct TypeOf<domain::StoredName<Value>> : Type<25, 1009> {};
template <typename Value>
  requires std::is_enum_v<Value> && requires(Value value) {
    { toText(value) } -> std::convertible_to<std::string_view>;
  }
struct TypeOf<Value> : Type<25, 1009> {};

template <typename T>
concept Encodable = requires { TypeOf<T>::kSingle; };

template <typename T>
struct ElementOf {
  using Type = T;
};
template <typename T>
struct ElementOf<std::optional<T>> {
  using Type = T;
};

}  // namespace wire

class Parameters {
 public:
  template <wire::Encodable T>
  Parameters& add(const T& value) {
    open(wire::TypeOf<T>::kSingle);
    put(value);
    return close();
  }
  // String literals and other types convertible to string_view, but not bool.
  Parameters& add(std::string_view text) { return add<std::string_view>(text); }
  Parameters& add(Bytes bytes) { return add<Bytes>(bytes); }

  // nullopt is NULL.
  template <wire::Encodable T>
  Parameters& add(const std::optional<T>& value) {
    return value ? add<T>(*value) : addNull(wire::TypeOf<T>::kSingle);
  }

  // One-dimensional arrays, e.g. for unnest(); a nullopt element is NULL.
  template <std::ranges::sized_range Range>
  Parameters& addArray(const Range& values) {
    using Value = std::ranges::range_value_t<Range>;
    using Element = wire::ElementOf<Value>::Type;
    static_assert(wire::Encodable<Element>);
    openArray(wire::TypeOf<Element>::kArray, wire::TypeOf<Element>::kSingle,
              std::ranges::size(values));
    for (const auto& value : values) {
      if constexpr (std::same_as<Value, Element>) {
        putElement(static_cast<const Element&>(value));
      } else if (value) {
        putElement(static_cast<const Element&>(*value));
      } else {
        putNullElement();
      }
    }
    return close();
  }

  // Appends the values of another list.
  Parameters& append(const Parameters& others);

  [[nodiscard]] std::size_t size() const { return items_.size(); }

  // For the connection: type ids, and each value's bytes (nullptr for NULL) and length.
  [[nodiscard]] const std::vector<std::uint32_t>& types() const { return types_; }
  [[nodiscard]] const char* bytes(std::size_t index) const;
  [[nodiscard]] int length(std::size_t index) const;

 private:
  struct Item {
    std::size_t offset;
    std::size_t length;
    bool null;
  };

  void open(std::uint32_t type);
  void openArray(std::uint32_t arrayType, std::uint32_t elementType, std::size_t count);
  Parameters& close();
  Parameters& addNull(std::uint32_t type);

  template <typename T>
  void putElement(const T& value) {
    const std::size_t mark = openElement();
    put(value);
    closeElement(mark);
  }
  std::size_t openElement();
  void closeElement(std::size_t mark);
  void putNullElement();

  void put(bool value);
  void put(std::int32_t value);
  void put(std::int64_t value);
  void put(double value);
  void put(std::string_view value);
  void put(Timestamp value);
  void put(Bytes value);
  void put(Jsonb value);
  void put(std::uint64_t value);
  void put(std::chrono::microseconds value);
  template <typename Tag>
  void put(domain::Id<Tag> id) {
    put(id.value());
  }
  template <typename Tag>
  void put(const domain::Name<Tag>& name) {
    put(std::string_view(name.text()));
  }
  template <typename Value>
  void put(const domain::StoredName<Value>& value) {
    put(std::string_view(value.text()));
  }
  template <typename Value>
    requires std::is_enum_v<Value>
  void put(Value value) {
    put(std::string_view(toText(value)));
  }
  void putRaw(const void* data, std::size_t size);
  template <std::integral T>
  void putInteger(T value);

  std::string buffer_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> types_;
  std::size_t arrayFlags_ = 0;
};

namespace wire {

template <typename T>
void addTo(Parameters& parameters, const T& value) {
  if constexpr (std::same_as<T, Parameters>) {
    parameters.append(value);
  } else if constexpr (Encodable<T> || Encodable<typename ElementOf<T>::Type> ||
                       std::convertible_to<const T&, std::string_view> ||
                       std::convertible_to<const T&, Bytes>) {
    parameters.add(value);
  } else {
    parameters.addArray(value);
  }
}

}  // namespace wire

// The arguments of run(), in order: single values, nullopt for NULL, ids as bigint, names and
// enumerations as text, durations as intervals, ranges as arrays, and Parameters, which contribute
// all their values.
template <typename... Values>
Parameters encoded(const Values&... values) {
  Parameters parameters;
  (wire::addTo(parameters, values), ...);
  return parameters;
}

// One array for each projection of the rows, for unnest(): columns(failures, &Failure::outboxId,
// &Failure::delay).
template <std::ranges::sized_range Rows, typename... Projections>
Parameters columns(const Rows& rows, Projections... projections) {
  Parameters parameters;
  (parameters.addArray(std::views::transform(rows, projections)), ...);
  return parameters;
}

}  // namespace auth_errors::database
