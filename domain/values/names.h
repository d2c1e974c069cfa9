// Maps names to values, for the name tables of enumerations. Pure; usable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace auth_errors::domain {

template <typename Value, std::size_t Size>
constexpr std::optional<Value> named(
    const std::array<std::pair<Value, std::string_view>, Size>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

// A table of names, from pairs of a value and its name.
template <typename Value, std::size_t Size>
constexpr std::array<std::pair<Value, std::string_view>, Size> nameTable(
    const std::pair<Value, std::string_view> (&rows)[Size]) {
  return std::to_array(rows);
}

// Whether an enumeration declares this value: compilers print others as a cast, "(Colour)3".
template <auto Value>
consteval bool isDeclared() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text.rfind("::") > text.rfind(')');
}

// Whether the table has one row for each value, in the order of declaration, and no duplicate name.
// REQUIRES: the values count from 0.
template <typename Value>
consteval bool namesEachValueOnce() {
  constexpr auto kNames = namesOf(Value{});
  for (std::size_t row = 0; row < kNames.size(); ++row) {
    const auto& [value, name] = kNames[row];
    if (value != static_cast<Value>(row) || name.empty() || named(kNames, name) != value) {
      return false;
    }
  }
  return !isDeclared<static_cast<Value>(kNames.size())>();
}

// A name as stored in a row. During an upgrade, a newer version may have written one that this
// version does not know: it is shown unchanged and equals no value. REQUIRES: Value has a toText()
// in its own namespace.
template <typename Value>
class StoredName {
 public:
  StoredName() : StoredName(Value{}) {}
  // Implicit, so that values can be passed directly.
  StoredName(Value value) : value_(value), text_(toText(value)) {}
  StoredName(std::optional<Value> value, std::string_view text) : value_(value), text_(text) {}

  // Nothing for a name unknown to this version.
  [[nodiscard]] const std::optional<Value>& value() const { return value_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  friend bool operator==(const StoredName& name, Value value) { return name.value_ == value; }

 private:
  std::optional<Value> value_;
  std::string text_;
};

// REQUIRES: Value has a namesOf() in its own namespace, which returns the table of its names.
template <typename Value>
constexpr std::optional<Value> fromText(std::string_view text) {
  return named(namesOf(Value{}), text);
}

template <typename Value>
StoredName<Value> storedName(std::string_view text) {
  return {fromText<Value>(text), text};
}

// For work that is impossible without the value. Throws std::runtime_error for a name unknown to
// this version; code that only shows a row uses StoredName.
template <typename Value>
Value known(std::optional<Value> value, std::string_view what) {
  if (!value) {
    throw std::runtime_error("the database contains a " + std::string(what) +
                             " unknown to this version");
  }
  return *value;
}

}  // namespace auth_errors::domain
