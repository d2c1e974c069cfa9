// A person's verdict on an analysed AuthError, and what it does to the error's status. Names are
// shared by JSON and SQL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/auth_error_transitions.h"
#include "domain/names.h"

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

constexpr std::optional<Decision> decisionNamed(std::string_view name) {
  for (const DecisionRow& row : kDecisions) {
    if (row.name == name) {
      return row.decision;
    }
  }
  return std::nullopt;
}

// Of a stored row; throws like known().
inline Decision knownDecision(std::string_view name) {
  return known(decisionNamed(name), "decision");
}

}  // namespace auth_errors::domain
