// Names of an enumeration as SQL. Pure; any thread.
#pragma once

#include <format>
#include <ranges>
#include <string>

namespace auth_errors::database {

// 'NEW', 'RETRY', for what a guard names. The names are constants of the code, without quotes.
template <std::ranges::range Values>
std::string sqlList(const Values& values) {
  std::string list;
  for (const auto& value : values) {
    list += std::format("{}'{}'", list.empty() ? "" : ", ", toText(value));
  }
  return list;
}

}  // namespace auth_errors::database
