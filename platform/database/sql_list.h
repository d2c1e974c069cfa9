// Names of enumeration values as SQL. Pure; usable from any thread.
#pragma once

#include <format>
#include <ranges>
#include <string>

namespace auth_errors::database {

// Values for an SQL guard: 'NEW', 'RETRY'. REQUIRES: the names contain no quotes.
template <std::ranges::range Values>
std::string sqlList(const Values& values) {
  std::string list;
  for (const auto& value : values) {
    list += std::format("{}'{}'", list.empty() ? "" : ", ", toText(value));
  }
  return list;
}

}  // namespace auth_errors::database
