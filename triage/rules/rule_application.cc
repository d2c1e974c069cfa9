#include "triage/rules/rule_application.h"

#include <algorithm>
#include <format>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "triage/errors/error_matching.h"
#include "triage/rules/guarded_decision.h"
#include "triage/rules/rule.h"
#include "triage/rules/rule_deltas.h"

namespace auth_errors::rules {
namespace {

// In the order in which they are applied. All that a batch costs where there are no rules.
const database::Statement kActingRules{
    .name = "acting_rules",
    .sql = std::format("SELECT r.id, r.name, r.action, r.note, {} "
                       "FROM rule r WHERE r.enabled AND r.after_seconds IS NULL "
                       "ORDER BY r.position, r.id",
                       triage::loweredMatchColumns("r"))};

struct ActingRule {
  std::int64_t id = 0;
  std::string name;
  std::string action;
  std::optional<std::string> note;
  triage::ErrorMatch match;  // in lower case
  std::vector<std::int64_t> decidesOn{};
};

drogon::Task<std::vector<ActingRule>> actingRules(database::Transaction& transaction,
                                                  database::Deadline deadline) {
  const database::Result found = co_await transaction.run(kActingRules, {}, deadline);
  std::vector<ActingRule> rules;
  rules.reserve(found.rows());
  for (std::size_t row = 0; row < found.rows(); ++row) {
    rules.push_back({.id = found.value<std::int64_t>(row, 0),
                     .name = found.value<std::string>(row, 1),
                     .action = found.value<std::string>(row, 2),
                     .note = found.value<std::optional<std::string>>(row, 3),
                     .match = triage::matchOf(found, row, 4)});
  }
  co_return rules;
}

// The first rule that an error meets decides on it.
void distribute(const std::vector<triage::ErrorToMatch>& errors, std::vector<ActingRule>& rules) {
  for (const triage::ErrorToMatch& error : errors) {
    const auto first = std::ranges::find_if(
        rules, [&](const ActingRule& rule) { return triage::meets(error, rule.match); });
    if (first != rules.end()) {
      first->decidesOn.push_back(error.id);
    }
  }
}

}  // namespace

drogon::Task<RuleWork> applyRules(database::Transaction& transaction,
                                  std::vector<std::int64_t> authErrorIds,
                                  database::Deadline deadline) {
  RuleWork work;
  if (authErrorIds.empty()) {
    co_return work;
  }
  const auto patience = patienceUntil(deadline);
  std::vector<ActingRule> rules = co_await actingRules(transaction, deadline);
  if (rules.empty()) {
    co_return work;
  }
  const bool anyText = std::ranges::any_of(
      rules, [](const ActingRule& rule) { return rule.match.message.has_value(); });
  triage::ErrorsToMatch loaded;
  const std::optional<std::string> fault = co_await runGuarded(
      transaction,
      [&]() -> drogon::Task<void> {
        loaded = co_await triage::loadErrorsToMatch(transaction, authErrorIds, anyText, deadline);
      },
      deadline);
  std::vector<RuleDelta> deltas;
  if (fault) {
    // Which of them is at fault can't be told: they are compared together.
    for (const ActingRule& rule : rules) {
      deltas.push_back({.ruleId = rule.id, .hits = 0, .failures = 1, .failure = fault});
    }
    work.failed = authErrorIds.size();
  } else {
    distribute(loaded.errors, rules);
  }
  for (ActingRule& rule : rules) {
    if (rule.decidesOn.empty()) {
      continue;
    }
    const auto verdict = verdictOf(rule.name, rule.action, std::move(rule.note));
    if (!verdict) {
      // A later rule must not decide in its place: nothing undoes a decision.
      deltas.push_back({.ruleId = rule.id,
                        .hits = 0,
                        .failures = static_cast<std::int32_t>(rule.decidesOn.size()),
                        .failure = unknownAction(rule.action)});
      work.failed += rule.decidesOn.size();
      continue;
    }
    Deciding outcome = co_await decideGuarded(transaction, *verdict, std::move(rule.decidesOn),
                                              patience, deadline);
    work.add(verdict->type, outcome.decided);
    work.failed += outcome.failed;
    deltas.push_back({.ruleId = rule.id,
                      .hits = static_cast<std::int32_t>(outcome.decided),
                      .failures = static_cast<std::int32_t>(outcome.failed),
                      .failure = std::move(outcome.failure)});
  }
  co_await addDeltas(transaction, std::move(deltas), deadline);
  co_return work;
}

}  // namespace auth_errors::rules
