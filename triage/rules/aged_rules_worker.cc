#include "triage/rules/aged_rules_worker.h"

#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/errors/auth_error_status.h"
#include "triage/rules/guarded_decision.h"
#include "triage/rules/rule.h"
#include "triage/rules/rule_deltas.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::rules {
namespace {

// Errors that the rule `r` has not looked at and that were old enough for it at the time `then`. An
// error that is analysed again comes again.
std::string waitingErrors(std::string_view then) {
  return std::format(R"(auth_error e
  WHERE e.status = '{}'
    AND (e.status_changed_at, e.id) > (r.scanned_until, r.scanned_id)
    AND e.status_changed_at <= {} - r.after_seconds * interval '1 second'
  ORDER BY e.status_changed_at, e.id LIMIT)",
                     domain::toText(domain::AuthErrorStatus::analysisCompleted), then);
}

const database::Statement kFindDueRules{
    .name = "find_due_rules",
    .sql = std::format(R"(SELECT r.id, now() FROM rule r CROSS JOIN LATERAL (
  SELECT FROM {} 1) waiting
WHERE r.enabled AND r.after_seconds IS NOT NULL AND r.action IN ({})
ORDER BY r.position, r.id)",
                       waitingErrors("now()"), domain::decisionsAsSqlList())};

// Whoever comes second waits here, and then goes on where the first has stopped.
const database::Statement kLockAgedRule{
    .name = "lock_aged_rule",
    .sql = std::format("SELECT name, action, note FROM rule WHERE id = $1 AND enabled "
                       "AND after_seconds IS NOT NULL AND action IN ({}) FOR UPDATE",
                       domain::decisionsAsSqlList())};

// A rule has an error analysed again once only: what that did not mend is not mended by repeating
// it.
const database::Statement kExamineErrors{
    .name = "examine_waiting_errors",
    .sql = std::format(R"(WITH seen AS (
  SELECT e.id, e.status_changed_at, {1}
     AND (r.action <> '{2}'
          OR NOT EXISTS (SELECT FROM decision d
                         WHERE d.auth_error_id = e.id AND d.decided_by = '{3}' || r.name)) AS meant
  FROM rule r CROSS JOIN LATERAL (SELECT * FROM {0} $3) e
  WHERE r.id = $1
), last AS (
  SELECT status_changed_at, id FROM seen ORDER BY status_changed_at DESC, id DESC LIMIT 1
), moved AS (
  UPDATE rule SET scanned_until = last.status_changed_at, scanned_id = last.id
  FROM last WHERE rule.id = $1
)
SELECT count(*), coalesce(array_agg(id ORDER BY id) FILTER (WHERE meant), '{{}}') FROM seen)",
                       waitingErrors("$2::timestamptz"), triage::matchesSql("r"),
                       domain::rowOf(domain::Decision::retry).name, kDeciderPrefix)};

}  // namespace

AgedRulesWorker::AgedRulesWorker(database::Client& client, Options options,
                                 telemetry::Metrics& metrics)
    : client_(client),
      options_(std::move(options)),
      metrics_(metrics),
      job_(client.loop(), "rules.worker_failed", options_.interval,
           [this]() -> drogon::Task<> { co_await runOnce(); }) {}

drogon::Task<std::size_t> AgedRulesWorker::runOnce() {
  const database::Result due =
      co_await client_.run(kFindDueRules, {}, std::chrono::steady_clock::now() + options_.deadline);
  std::size_t decided = 0;
  for (std::size_t row = 0; row < due.rows(); ++row) {
    Examined examined;
    do {
      const auto began = std::chrono::steady_clock::now();
      // One time for all rules: what a later one sees an earlier one has seen before.
      examined =
          co_await examine(due.value<std::int64_t>(row, 0), due.value<database::Timestamp>(row, 1));
      decided += examined.decided;
      co_await job_.restAfter(began);
    } while (!job_.stopping() && examined.errors == options_.chunk);
    if (job_.stopping()) {
      break;
    }
  }
  co_return decided;
}

drogon::Task<AgedRulesWorker::Examined> AgedRulesWorker::examine(std::int64_t ruleId,
                                                                 database::Timestamp then) {
  const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
  database::Transaction transaction = co_await client_.begin(deadline);
  database::Parameters ofRule;
  ofRule.add(ruleId);
  const database::Result rule =
      co_await transaction.run(kLockAgedRule, std::move(ofRule), deadline);
  if (rule.empty()) {
    // Deleted or switched off meanwhile.
    co_await transaction.rollback(deadline);
    co_return Examined{};
  }
  database::Result seen;
  std::optional<std::string> fault = co_await runGuarded(
      transaction,
      [&]() -> drogon::Task<void> {
        database::Parameters parameters;
        parameters.add(ruleId).add(then).add(options_.chunk);
        seen = co_await transaction.run(kExamineErrors, std::move(parameters), deadline);
      },
      deadline);
  RuleWork work;
  Examined examined;
  RuleDelta delta{.ruleId = ruleId, .hits = 0, .failures = 0, .failure = {}};
  if (fault) {
    work.failed = 1;
    delta.failures = 1;
    delta.failure = std::move(fault);
  } else {
    // Only rules whose action is known are locked.
    const triage::Verdict verdict =
        verdictOf(rule.value<std::string_view>(0, 0), rule.value<std::string_view>(0, 1),
                  rule.value<std::optional<std::string>>(0, 2))
            .value();
    examined.errors = seen.value<std::int64_t>(0, 0);
    if (auto meant = seen.value<std::vector<std::int64_t>>(0, 1); !meant.empty()) {
      Deciding outcome = co_await decideGuarded(transaction, verdict, std::move(meant),
                                                patienceUntil(deadline), deadline);
      examined.decided = outcome.decided;
      work.add(verdict.type, outcome.decided);
      work.failed = outcome.failed;
      delta.hits = static_cast<std::int32_t>(outcome.decided);
      delta.failures = static_cast<std::int32_t>(outcome.failed);
      delta.failure = std::move(outcome.failure);
    }
  }
  co_await addDeltas(transaction, {delta}, deadline);
  co_await transaction.commit(deadline);
  count(metrics_, work);
  if (work.decidedBy(domain::Decision::retry) > 0) {
    options_.onEnqueued();
  }
  co_return examined;
}

}  // namespace auth_errors::rules
