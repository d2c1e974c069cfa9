// From a name back to its value, for the tables of names that the enumerations have. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

}  // namespace auth_errors::domain
