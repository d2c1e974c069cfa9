#include "triage/rules/rule_deltas.h"

#include "domain/scrub/sanitiser.h"

namespace auth_errors::rules {
namespace {

constexpr std::int64_t kFlushLock = 0x61655f72756c6573;  // "ae_rules"

const database::Statement kAddDeltas{
    .name = "add_rule_deltas",
    .sql =
        "INSERT INTO rule_delta (rule_id, hits, failures, failure, happened_at) "
        "SELECT rule_id, hits, failures, failure, now() "
        "FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[]) "
        "AS given (rule_id, hits, failures, failure)"};

const database::Statement kTryFlushLock{.name = "try_rule_flush_lock",
                                        .sql = "SELECT pg_try_advisory_xact_lock($1)"};

// Deltas of a rule that was deleted meanwhile only go.
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

drogon::Task<void> addDeltas(database::Transaction& transaction, std::vector<RuleDelta> deltas,
                             database::Deadline deadline) {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> hits;
  std::vector<std::int32_t> failures;
  std::vector<std::optional<std::string>> texts;
  for (RuleDelta& delta : deltas) {
    if (delta.hits == 0 && delta.failures == 0) {
      continue;
    }
    ids.push_back(delta.ruleId);
    hits.push_back(delta.hits);
    failures.push_back(delta.failures);
    texts.push_back(delta.failure.and_then([](const std::string& text) {
      return domain::sanitise(text, domain::kMaxMessageCodePoints, {}).text;
    }));
  }
  if (ids.empty()) {
    co_return;
  }
  database::Parameters parameters;
  parameters.addArray(ids).addArray(hits).addArray(failures).addArray(texts);
  co_await transaction.run(kAddDeltas, std::move(parameters), deadline);
}

drogon::Task<std::size_t> flushDeltas(database::Client& client, std::int64_t rows,
                                      database::Deadline deadline) {
  database::Transaction transaction = co_await client.begin(deadline);
  database::Parameters ofLock;
  ofLock.add(kFlushLock);
  const database::Result locked =
      co_await transaction.run(kTryFlushLock, std::move(ofLock), deadline);
  if (!locked.value<bool>(0, 0)) {
    co_await transaction.rollback(deadline);
    co_return 0;
  }
  database::Parameters parameters;
  parameters.add(rows);
  const database::Result flushed =
      co_await transaction.run(kFlushDeltas, std::move(parameters), deadline);
  co_await transaction.commit(deadline);
  co_return static_cast<std::size_t>(flushed.value<std::int64_t>(0, 0));
}

}  // namespace auth_errors::rules
