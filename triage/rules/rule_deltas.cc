#include "triage/rules/rule_deltas.h"

#include <vector>

#include "domain/scrub/sanitiser.h"
#include "platform/database/advisory_lock.h"

namespace auth_errors::rules {
namespace {

const database::Statement kAddDeltas{
    .name = "add_rule_deltas",
    .sql =
        "INSERT INTO rule_delta (rule_id, hits, failures, failure, happened_at) "
        "SELECT rule_id, hits, failures, failure, now() "
        "FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[]) "
        "AS given (rule_id, hits, failures, failure)"};

// The deltas of a rule that was deleted meanwhile are dropped.
const database::Statement kFlushDeltas{.name = "flush_rule_deltas", .sql = R"(WITH taken AS (
  DELETE FROM rule_delta WHERE id IN (SELECT id FROM rule_delta ORDER BY id LIMIT $1)
  RETURNING id, rule_id, hits, failures, failure, happened_at
), sums AS (
  SELECT rule_id, sum(hits) AS hits, max(happened_at) FILTER (WHERE hits > 0) AS hit_at,
         sum(failures) AS failures, max(happened_at) FILTER (WHERE failures > 0) AS failed_at,
         (array_agg(failure ORDER BY happened_at DESC, id DESC) FILTER (WHERE failures > 0))[1] AS failure
  FROM taken GROUP BY rule_id
), locked AS (
  SELECT id FROM rule WHERE id IN (SELECT rule_id FROM sums) ORDER BY id FOR UPDATE
), added AS (
  UPDATE rule
  SET hit_count = hit_count + sums.hits,
      last_hit_at = greatest(last_hit_at, sums.hit_at),
      failure_count = failure_count + sums.failures,
      last_failure = coalesce(sums.failure, last_failure),
      last_failure_at = greatest(last_failure_at, sums.failed_at)
  FROM locked JOIN sums ON sums.rule_id = locked.id
  WHERE rule.id = locked.id
)
SELECT count(*) FROM taken)"};

}  // namespace

drogon::Task<void> addDeltas(database::Transaction& transaction, std::vector<RuleDelta> deltas) {
  std::erase_if(deltas,
                [](const RuleDelta& delta) { return delta.hits == 0 && delta.failures == 0; });
  if (deltas.empty()) {
    co_return;
  }
  for (RuleDelta& delta : deltas) {
    delta.failure = delta.failure.and_then([](const std::string& text) {
      return domain::sanitise(text, domain::kMaxMessageCodePoints, {}).text;
    });
  }
  co_await transaction.run(kAddDeltas,
                           database::columns(deltas, &RuleDelta::ruleId, &RuleDelta::hits,
                                             &RuleDelta::failures, &RuleDelta::failure));
}

drogon::Task<std::size_t> flushDeltas(database::Client& client, std::int64_t rows,
                                      database::Deadline deadline) {
  database::Transaction transaction = co_await client.begin(deadline);
  if (!co_await database::tryLock(transaction, database::AdvisoryLock::flushRules)) {
    co_await transaction.rollback();
    co_return 0;
  }
  const auto flushed = (co_await transaction.run(kFlushDeltas, rows)).only<std::int64_t>();
  co_await transaction.commit();
  co_return static_cast<std::size_t>(flushed);
}

}  // namespace auth_errors::rules
