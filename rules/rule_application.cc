#include "rules/rule_application.h"

#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/guarded_decision.h"
#include "rules/rule.h"
#include "rules/rule_deltas.h"

namespace auth_errors::rules {
namespace {

constexpr std::string_view kActsAtOnce = "r.enabled AND r.after_seconds IS NULL";

// All that a batch costs where there are no rules.
const database::Statement kHasRules{
    .name = "has_rules",
    .sql = std::format("SELECT EXISTS (SELECT FROM rule r WHERE {})", kActsAtOnce)};

const database::Statement kMatchRules{
    .name = "match_rules",
    .sql = std::format(R"(SELECT first.id, first.name, first.action, first.note,
       array_agg(e.id ORDER BY e.id)
FROM unnest($1::bigint[]) AS given (id) JOIN auth_error e USING (id) CROSS JOIN LATERAL (
  SELECT r.id, r.position, r.name, r.action, r.note FROM rule r
  WHERE {0} AND {1} ORDER BY r.position, r.id LIMIT 1) first
GROUP BY first.position, first.id, first.name, first.action, first.note
ORDER BY first.position, first.id)",
                       kActsAtOnce, lifecycle::matchesSql("r"))};

const database::Statement kListRules{
    .name = "list_acting_rules",
    .sql = std::format("SELECT r.id FROM rule r WHERE {}", kActsAtOnce)};

// Which of them is at fault can't be told: they are compared together.
drogon::Task<void> noteUnmatched(database::Transaction& transaction, std::string fault,
                                 database::Deadline deadline) {
  const database::Result acting = co_await transaction.run(kListRules, {}, deadline);
  std::vector<RuleDelta> deltas;
  for (std::size_t row = 0; row < acting.rows(); ++row) {
    deltas.push_back(
        {.ruleId = acting.value<std::int64_t>(row, 0), .hits = 0, .failures = 1, .failure = fault});
  }
  co_await addDeltas(transaction, std::move(deltas), deadline);
}

}  // namespace

drogon::Task<RuleWork> applyRules(database::Transaction& transaction,
                                  std::vector<std::int64_t> authErrorIds,
                                  database::Deadline deadline) {
  RuleWork work;
  if (authErrorIds.empty() ||
      !(co_await transaction.run(kHasRules, {}, deadline)).value<bool>(0, 0)) {
    co_return work;
  }
  database::Result matched;
  const std::optional<std::string> fault = co_await runGuarded(
      transaction,
      [&]() -> drogon::Task<void> {
        database::Parameters parameters;
        parameters.addArray(authErrorIds);
        matched = co_await transaction.run(kMatchRules, std::move(parameters), deadline);
      },
      deadline);
  if (fault) {
    co_await noteUnmatched(transaction, *fault, deadline);
    work.failed = authErrorIds.size();
    co_return work;
  }
  std::vector<RuleDelta> deltas;
  for (std::size_t row = 0; row < matched.rows(); ++row) {
    const lifecycle::Verdict verdict =
        verdictOf(matched.value<std::string_view>(row, 1), matched.value<std::string_view>(row, 2),
                  matched.value<std::optional<std::string>>(row, 3));
    Deciding outcome = co_await decideGuarded(
        transaction, verdict, matched.value<std::vector<std::int64_t>>(row, 4), deadline);
    work.add(verdict.type, outcome.decided);
    work.failed += outcome.failed;
    deltas.push_back({.ruleId = matched.value<std::int64_t>(row, 0),
                      .hits = static_cast<std::int32_t>(outcome.decided),
                      .failures = static_cast<std::int32_t>(outcome.failed),
                      .failure = std::move(outcome.failure)});
  }
  co_await addDeltas(transaction, std::move(deltas), deadline);
  co_return work;
}

}  // namespace auth_errors::rules
