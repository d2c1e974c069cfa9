#include "triage/rules/rule_application.h"

#include <algorithm>
#include <format>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "domain/errors/decision.h"
#include "domain/values/names.h"
#include "triage/errors/error_matching.h"
#include "triage/rules/guarded_decision.h"
#include "triage/rules/rule.h"
#include "triage/rules/rule_deltas.h"

namespace auth_errors::rules {
namespace {

// In the order in which they are applied. With no rules, a batch costs this statement alone.
const database::Statement kActingRules{
    .name = "acting_rules",
    .sql = std::format("SELECT r.id, r.name, r.action, r.note, {} "
                       "FROM rule r WHERE r.enabled AND r.after_seconds IS NULL "
                       "ORDER BY r.position, r.id",
                       triage::loweredMatchColumns("r"))};
struct ActingRule {
  domain::RuleId id;
  std::string name;
  domain::StoredName<domain::Decision> action;
  std::optional<std::string> note;
  triage::ErrorMatch match;  // in lower case
};

// The errors that each rule decides on: an error goes to the first rule that it meets.
std::vector<std::vector<domain::ErrorId>> distribute(
    const std::vector<triage::ErrorToMatch>& errors, const std::vector<ActingRule>& rules) {
  std::vector<std::vector<domain::ErrorId>> shares(rules.size());
  for (const triage::ErrorToMatch& error : errors) {
    const auto first = std::ranges::find_if(
        rules, [&](const ActingRule& rule) { return triage::meets(error, rule.match); });
    if (first != rules.end()) {
      shares.at(static_cast<std::size_t>(first - rules.begin())).push_back(error.id);
    }
  }
  return shares;
}

}  // namespace

drogon::Task<RuleWork> applyRules(database::Transaction& transaction,
                                  std::vector<domain::ErrorId> authErrorIds) {
  RuleWork work;
  if (authErrorIds.empty()) {
    co_return work;
  }
  const auto patience = patienceUntil(transaction.deadline());
  auto rules = (co_await transaction.run(kActingRules)).as<ActingRule>();
  if (rules.empty()) {
    co_return work;
  }
  const bool anyText = std::ranges::any_of(
      rules, [](const ActingRule& rule) { return rule.match.message.has_value(); });
  triage::ErrorsToMatch loaded;
  const std::optional<std::string> fault =
      co_await runGuarded(transaction, [&]() -> drogon::Task<void> {
        loaded = co_await triage::loadErrorsToMatch(transaction, authErrorIds, anyText);
      });
  std::vector<RuleDelta> deltas;
  if (fault) {
    // The comparison is one statement for all rules, so any of them may be at fault.
    for (const ActingRule& rule : rules) {
      deltas.push_back({.ruleId = rule.id, .hits = 0, .failures = 1, .failure = fault});
    }
    work.failed = authErrorIds.size();
  }
  std::vector<std::vector<domain::ErrorId>> shares = distribute(loaded.errors, rules);
  for (auto&& [rule, share] : std::views::zip(rules, shares)) {
    if (share.empty()) {
      continue;
    }
    const auto verdict = verdictOf(rule.name, rule.action, std::move(rule.note));
    if (!verdict) {
      // A later rule must not decide in its place: nothing undoes a decision.
      deltas.push_back({.ruleId = rule.id,
                        .hits = 0,
                        .failures = static_cast<std::int32_t>(share.size()),
                        .failure = unknownAction(rule.action.text())});
      work.failed += share.size();
      continue;
    }
    Deciding outcome = co_await decideGuarded(transaction, *verdict, std::move(share), patience);
    work.add(verdict->type, outcome.decided);
    work.failed += outcome.failed;
    deltas.push_back({.ruleId = rule.id,
                      .hits = static_cast<std::int32_t>(outcome.decided),
                      .failures = static_cast<std::int32_t>(outcome.failed),
                      .failure = std::move(outcome.failure)});
  }
  co_await addDeltas(transaction, std::move(deltas));
  co_return work;
}

}  // namespace auth_errors::rules
