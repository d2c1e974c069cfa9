#include "triage/rules/aged_rules_worker.h"

#include <format>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/errors/auth_error_status.h"
#include "domain/errors/decision.h"
#include "domain/values/names.h"
#include "platform/database/sql_list.h"
#include "triage/rules/guarded_decision.h"
#include "triage/rules/rule.h"
#include "triage/rules/rule_deltas.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::rules {
namespace {

// Errors that the rule `r` has not examined yet and that were old enough for it at the time `then`.
// An error that is analysed again comes again.
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
                       waitingErrors("now()"),
                       database::sqlList(domain::kDecisionNames | std::views::keys))};
struct DueRule {
  domain::RuleId id;
  database::Timestamp now;
};

// A second instance waits here and then continues where the first one stopped.
const database::Statement kLockAgedRule{
    .name = "lock_aged_rule",
    .sql = std::format("SELECT name, action, note FROM rule WHERE id = $1 AND enabled "
                       "AND after_seconds IS NOT NULL AND action IN ({}) FOR UPDATE",
                       database::sqlList(domain::kDecisionNames | std::views::keys))};
struct AgedRule {
  std::string name;
  domain::StoredName<domain::Decision> action;
  std::optional<std::string> note;
};

// A rule has an error analysed again only once: repeating it would not help.
const database::Statement kExamineErrors{
    .name = "examine_waiting_errors",
    .parameters = "rule_id then chunk",
    .sql = std::format(R"(WITH seen AS (
  SELECT e.id, e.status_changed_at, {1}
     AND (r.action <> '{2}'
          OR NOT EXISTS (SELECT FROM decision d
                         WHERE d.auth_error_id = e.id AND d.decided_by = '{3}' || r.name))
         AS matches
  FROM rule r CROSS JOIN LATERAL (SELECT * FROM {0} $chunk) e
  WHERE r.id = $rule_id
), last AS (
  SELECT status_changed_at, id FROM seen ORDER BY status_changed_at DESC, id DESC LIMIT 1
), moved AS (
  UPDATE rule SET scanned_until = last.status_changed_at, scanned_id = last.id
  FROM last WHERE rule.id = $rule_id
)
SELECT count(*), coalesce(array_agg(id ORDER BY id) FILTER (WHERE matches), '{{}}') FROM seen)",
                       waitingErrors("$then::timestamptz"), triage::matchesSql("r"),
                       domain::rowOf(domain::Decision::retry).name, kDeciderPrefix)};
struct ExaminedErrors {
  std::int64_t count = 0;
  std::vector<domain::ErrorId> matching;
};

}  // namespace

AgedRulesWorker::AgedRulesWorker(database::Client& client, Options options, Metrics& metrics)
    : Worker(client.loop(), {.faultEvent = "rules.worker_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(std::move(options)),
      metrics_(metrics) {}

drogon::Task<std::size_t> AgedRulesWorker::runOnce() {
  const auto due =
      (co_await client_.run(kFindDueRules, std::chrono::steady_clock::now() + options_.deadline))
          .as<DueRule>();
  std::size_t decided = 0;
  for (const DueRule& rule : due) {
    Examined examined;
    do {
      const auto began = std::chrono::steady_clock::now();
      // One time for all rules: whatever a later rule sees, the earlier ones have seen before.
      examined = co_await examine(rule.id, rule.now);
      decided += examined.decided;
      co_await restAfter(began);
    } while (!stopping() && examined.errors == options_.chunk);
    if (stopping()) {
      break;
    }
  }
  co_return decided;
}

drogon::Task<AgedRulesWorker::Examined> AgedRulesWorker::examine(domain::RuleId ruleId,
                                                                 database::Timestamp then) {
  database::Transaction transaction =
      co_await client_.begin(std::chrono::steady_clock::now() + options_.deadline);
  auto rule = (co_await transaction.run(kLockAgedRule, ruleId)).first<AgedRule>();
  if (!rule) {
    // Deleted or switched off meanwhile.
    co_await transaction.rollback();
    co_return Examined{};
  }
  ExaminedErrors seen;
  std::optional<std::string> fault = co_await runGuarded(transaction, [&]() -> drogon::Task<void> {
    seen = (co_await transaction.run(kExamineErrors, ruleId, then, options_.chunk))
               .only<ExaminedErrors>();
  });
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
        verdictOf(rule->name, rule->action, std::move(rule->note)).value();
    examined.errors = seen.count;
    if (!seen.matching.empty()) {
      Deciding outcome = co_await decideGuarded(transaction, verdict, std::move(seen.matching),
                                                patienceUntil(transaction.deadline()));
      examined.decided = outcome.decided;
      work.add(verdict.type, outcome.decided);
      work.failed = outcome.failed;
      delta.hits = static_cast<std::int32_t>(outcome.decided);
      delta.failures = static_cast<std::int32_t>(outcome.failed);
      delta.failure = std::move(outcome.failure);
    }
  }
  co_await addDeltas(transaction, {delta});
  co_await transaction.commit();
  count(metrics_, work);
  if (work.decidedBy(domain::Decision::retry) > 0) {
    options_.onEnqueued();
  }
  co_return examined;
}

}  // namespace auth_errors::rules
