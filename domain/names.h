// From a name back to its value, for the tables of names that the enumerations have. Pure; any
// thread.
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

// Of a name that the service has stored itself. Throws std::runtime_error for one that this version
// does not know.
template <typename Value>
Value known(std::optional<Value> value, std::string_view what) {
  if (!value) {
    throw std::runtime_error("the database holds a " + std::string(what) +
                             " that this version does not know");
  }
  return *value;
}

}  // namespace auth_errors::domain
