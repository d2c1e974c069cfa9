#include "platform/database/statement.h"

#include <algorithm>
#include <format>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "domain/values/ascii.h"

namespace auth_errors::database {
namespace {

bool isNameSign(char c) {
  return domain::isOf(c, domain::kLowerChar | domain::kDigitChar) || c == '_';
}

bool startsName(char c) { return isNameSign(c) && !domain::isDigit(c); }

}  // namespace

std::string numbered(const Statement& statement) {
  if (statement.parameters.empty()) {
    return statement.sql;
  }
  std::vector<std::string_view> names;
  for (const auto part : std::views::split(std::string_view(statement.parameters), ' ')) {
    names.emplace_back(part.begin(), part.end());
  }
  std::vector<bool> used(names.size());
  const std::string_view sql = statement.sql;
  std::string text;
  text.reserve(sql.size());
  for (std::size_t i = 0; i < sql.size(); ++i) {
    text += sql[i];
    if (sql[i] != '$' || i + 1 == sql.size() || !startsName(sql[i + 1])) {
      continue;
    }
    const auto* const end =
        std::find_if_not(sql.begin() + static_cast<std::ptrdiff_t>(i) + 1, sql.end(), isNameSign);
    const std::string_view name(sql.begin() + static_cast<std::ptrdiff_t>(i) + 1, end);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw std::logic_error(std::format("statement {} has no parameter {}", statement.name, name));
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    used[index] = true;
    text += std::format("{}", index + 1);
    i += name.size();
  }
  if (const auto idle = std::ranges::find(used, false); idle != used.end()) {
    throw std::logic_error(std::format("statement {} does not use its parameter {}", statement.name,
                                       names[static_cast<std::size_t>(idle - used.begin())]));
  }
  return text;
}

}  // namespace auth_errors::database
