#include "rules/rule.h"

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

lifecycle::Verdict verdictOf(std::string_view name, std::string_view action,
                             std::optional<std::string> note) {
  return {.type = domain::knownDecision(action),
          .note = std::move(note),
          .decidedBy = deciderOf(name),
          .traceparent = std::nullopt,
          .jobId = std::nullopt};
}

}  // namespace auth_errors::rules
