// The state machine of an AuthError in one table, the source for both code and SQL. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/errors/auth_error_status.h"

namespace auth_errors::domain {

// Events that can change the status of an AuthError.
enum class StatusEvent : std::uint8_t {
  analysisRequested,
  handlerFailed,  // and will be retried
  analysisCompleted,
  decidedProcess,
  decidedFail,
  decidedResolve,
  decidedIgnore,
  decidedRetry,
  deadLetterFailed,  // its dead letter is resolved with that decision; likewise the next two
  deadLetterResolved,
  deadLetterIgnored,
};
inline constexpr std::size_t kStatusEventCount = 11;

// Names in the log of transitions.
inline constexpr std::array<std::pair<StatusEvent, std::string_view>, kStatusEventCount>
    kStatusEventNames{{
        {StatusEvent::analysisRequested, "analysis_requested"},
        {StatusEvent::handlerFailed, "handler_failed"},
        {StatusEvent::analysisCompleted, "analysis_completed"},
        {StatusEvent::decidedProcess, "decision_process"},
        {StatusEvent::decidedFail, "decision_fail"},
        {StatusEvent::decidedResolve, "decision_resolve"},
        {StatusEvent::decidedIgnore, "decision_ignore"},
        {StatusEvent::decidedRetry, "decision_retry"},
        {StatusEvent::deadLetterFailed, "dead_letter_fail"},
        {StatusEvent::deadLetterResolved, "dead_letter_resolve"},
        {StatusEvent::deadLetterIgnored, "dead_letter_ignore"},
    }};

constexpr std::string_view toText(StatusEvent event) {
  return kStatusEventNames.at(static_cast<std::size_t>(event)).second;
}

struct StatusTransition {
  AuthErrorStatus from;
  StatusEvent on;
  AuthErrorStatus to;
};

inline constexpr std::array kStatusTransitions = [] {
  using From = AuthErrorStatus;
  using On = StatusEvent;
  using To = AuthErrorStatus;
  return std::to_array<StatusTransition>({
      {From::fresh, On::analysisRequested, To::analysisRequested},
      {From::retry, On::analysisRequested, To::analysisRequested},
      {From::fresh, On::handlerFailed, To::retry},
      {From::retry, On::handlerFailed, To::retry},
      {From::analysisRequested, On::handlerFailed, To::retry},
      {From::analysisRequested, On::analysisCompleted, To::analysisCompleted},
      {From::retry, On::analysisCompleted, To::analysisCompleted},
      {From::analysisCompleted, On::decidedProcess, To::processed},
      {From::analysisCompleted, On::decidedFail, To::failed},
      {From::analysisCompleted, On::decidedResolve, To::resolved},
      {From::analysisCompleted, On::decidedIgnore, To::ignored},
      {From::analysisCompleted, On::decidedRetry, To::retry},
      {From::fresh, On::deadLetterFailed, To::failed},
      {From::retry, On::deadLetterFailed, To::failed},
      {From::analysisRequested, On::deadLetterFailed, To::failed},
      {From::fresh, On::deadLetterResolved, To::resolved},
      {From::retry, On::deadLetterResolved, To::resolved},
      {From::analysisRequested, On::deadLetterResolved, To::resolved},
      {From::fresh, On::deadLetterIgnored, To::ignored},
      {From::retry, On::deadLetterIgnored, To::ignored},
      {From::analysisRequested, On::deadLetterIgnored, To::ignored},
  });
}();

constexpr bool isTerminal(AuthErrorStatus status) {
  using enum AuthErrorStatus;
  return status == processed || status == failed || status == resolved || status == ignored;
}
static_assert(std::ranges::none_of(kStatusTransitions,
                                   [](const auto& row) { return isTerminal(row.from); }));

// The state that the event leads to; nothing if it is not allowed in this state.
constexpr std::optional<AuthErrorStatus> transition(AuthErrorStatus from, StatusEvent on) {
  for (const StatusTransition& row : kStatusTransitions) {
    if (row.from == from && row.on == on) {
      return row.to;
    }
  }
  return std::nullopt;
}

// Every event leads to a single state, whatever the previous one.
constexpr AuthErrorStatus targetOf(StatusEvent on) {
  return std::ranges::find(kStatusTransitions, on, &StatusTransition::on)->to;
}
static_assert(std::ranges::all_of(kStatusTransitions,
                                  [](const auto& row) { return row.to == targetOf(row.on); }));

// The source states of the event; omits its target state.
std::vector<AuthErrorStatus> sourcesOf(StatusEvent on);

}  // namespace auth_errors::domain
