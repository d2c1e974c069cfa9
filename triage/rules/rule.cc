#include "triage/rules/rule.h"

#include <algorithm>
#include <format>
#include <utility>

#include "domain/values/ascii.h"

namespace auth_errors::rules {

bool isRuleName(std::string_view name) {
  return domain::isPlainName(name) && domain::isAlnum(name.front());
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
