// Cluster states in one table, the source for both code and SQL. JSON and SQL share the names.
// Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace auth_errors::domain {

enum class ClusterState : std::uint8_t { open, resolved, ignored, regressed };
inline constexpr std::array<std::pair<ClusterState, std::string_view>, 4> kClusterStateNames{{
    {ClusterState::open, "OPEN"},
    {ClusterState::resolved, "RESOLVED"},
    {ClusterState::ignored, "IGNORED"},
    {ClusterState::regressed, "REGRESSED"},
}};

// Shown instead of the state of a cluster that was merged into another: its own state no longer
// changes and would suggest that it still needs attention.
inline constexpr std::string_view kMergedState = "MERGED";

// Cluster events, named as in the log of transitions.
enum class ClusterEvent : std::uint8_t { resolved, ignored, reopened, errorArrived };
inline constexpr std::array<std::pair<ClusterEvent, std::string_view>, 4> kClusterEventNames{{
    {ClusterEvent::resolved, "resolve"},
    {ClusterEvent::ignored, "ignore"},
    {ClusterEvent::reopened, "reopen"},
    {ClusterEvent::errorArrived, "regression"},
}};

constexpr const auto& namesOf(ClusterState /*any*/) { return kClusterStateNames; }
constexpr const auto& namesOf(ClusterEvent /*any*/) { return kClusterEventNames; }

constexpr std::string_view toText(ClusterState state) {
  return kClusterStateNames.at(static_cast<std::size_t>(state)).second;
}
constexpr std::string_view toText(ClusterEvent event) {
  return kClusterEventNames.at(static_cast<std::size_t>(event)).second;
}

struct ClusterTransition {
  ClusterState from;
  ClusterEvent on;
  ClusterState to;
};

inline constexpr std::array kClusterTransitions = [] {
  using enum ClusterState;
  using On = ClusterEvent;
  return std::to_array<ClusterTransition>({
      {open, On::resolved, resolved},
      {ignored, On::resolved, resolved},
      {regressed, On::resolved, resolved},
      {open, On::ignored, ignored},
      {resolved, On::ignored, ignored},
      {regressed, On::ignored, ignored},
      {resolved, On::reopened, open},
      {ignored, On::reopened, open},
      {regressed, On::reopened, open},
      {resolved, On::errorArrived, regressed},
  });
}();

// The state that the event leads to; nothing if it has no effect in this state.
constexpr std::optional<ClusterState> transition(ClusterState from, ClusterEvent on) {
  for (const ClusterTransition& row : kClusterTransitions) {
    if (row.from == from && row.on == on) {
      return row.to;
    }
  }
  return std::nullopt;
}

// Every event leads to a single state, whatever the previous one.
constexpr ClusterState targetOf(ClusterEvent on) {
  return std::ranges::find(kClusterTransitions, on, &ClusterTransition::on)->to;
}
static_assert(std::ranges::all_of(kClusterTransitions,
                                  [](const auto& row) { return row.to == targetOf(row.on); }));

inline std::vector<ClusterState> sourcesOf(ClusterEvent on) {
  std::vector<ClusterState> sources;
  for (const ClusterTransition& row : kClusterTransitions) {
    if (row.on == on) {
      sources.push_back(row.from);
    }
  }
  return sources;
}

}  // namespace auth_errors::domain
