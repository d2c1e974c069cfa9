// A decision on an analysed AuthError and its effect on the error's status. JSON and SQL share the
// names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/values/names.h"

namespace auth_errors::domain {

enum class Decision : std::uint8_t { process, fail, resolve, ignore, retry };
struct DecisionRow {
  Decision decision;
  std::string_view name;
  StatusEvent event;
};
inline constexpr std::array<DecisionRow, 5> kDecisions{{
    {Decision::process, "PROCESS", StatusEvent::decidedProcess},
    {Decision::fail, "FAIL", StatusEvent::decidedFail},
    {Decision::resolve, "RESOLVE", StatusEvent::decidedResolve},
    {Decision::ignore, "IGNORE", StatusEvent::decidedIgnore},
    {Decision::retry, "RETRY", StatusEvent::decidedRetry},  // analyse it again
}};

constexpr const DecisionRow& rowOf(Decision decision) {
  return kDecisions.at(static_cast<std::size_t>(decision));
}

constexpr std::string_view toText(Decision decision) { return rowOf(decision).name; }

inline constexpr auto kDecisionNames = [] {
  std::array<std::pair<Decision, std::string_view>, kDecisions.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names.at(i) = {kDecisions.at(i).decision, kDecisions.at(i).name};
  }
  return names;
}();
constexpr const auto& namesOf(Decision /*any*/) { return kDecisionNames; }

}  // namespace auth_errors::domain
