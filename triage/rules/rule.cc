#include "triage/rules/rule.h"

#include <algorithm>
#include <format>
#include <utility>

namespace auth_errors::rules {
namespace {

constexpr std::size_t kMaxNameLength = 64;

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool isRuleName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && isLetterOrDigit(name.front()) &&
         std::ranges::all_of(
             name, [](char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

std::string deciderOf(std::string_view name) { return std::format("{}{}", kDeciderPrefix, name); }

std::optional<triage::Verdict> verdictOf(std::string_view name,
                                         const domain::StoredName<domain::Decision>& action,
                                         std::optional<std::string> note) {
  if (!action.value()) {
    return std::nullopt;
  }
  return triage::Verdict{.type = *action.value(),
                         .note = std::move(note),
                         .decidedBy = deciderOf(name),
                         .traceparent = std::nullopt,
                         .jobId = std::nullopt};
}

std::string unknownAction(std::string_view action) {
  return std::format("this version does not know the action {}", action);
}

}  // namespace auth_errors::rules
