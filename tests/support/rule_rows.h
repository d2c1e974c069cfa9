// Rules planted by plain SQL into a migrated database, and queries of their effects. The owner's
// thread only.
#pragma once

#include <format>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct RuleToPlant {
  std::string name;
  std::string match = "http_status = 401";  // "column = value" of the match's columns, one or more
  std::string action = "IGNORE";
  int position = 1;
  bool enabled = true;
  std::string afterSeconds = "NULL";
  std::string note = "NULL";
};
// NOLINTEND(readability-redundant-member-init)

inline domain::RuleId plantRule(TestDatabase& database, const RuleToPlant& rule) {
  std::string columns;
  std::string values;
  std::string_view rest = rule.match;
  while (!rest.empty()) {
    const std::string_view condition = rest.substr(0, rest.find(", "));
    rest = condition.size() < rest.size() ? rest.substr(condition.size() + 2) : std::string_view{};
    const auto equals = condition.find(" = ");
    columns += std::format("match_{}, ", condition.substr(0, equals));
    values += std::format("{}, ", condition.substr(equals + 3));
  }
  return database.queryId<domain::RuleId>(std::format(
      "INSERT INTO rule (name, position, enabled, {}action, note, after_seconds, hit_count, "
      "failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "VALUES ('{}', {}, {}, {}'{}', {}, {}, 0, 0, '-infinity', 0, now(), 'test', now(), 'test') "
      "RETURNING id",
      columns, rule.name, rule.position, rule.enabled, values, rule.action, rule.note,
      rule.afterSeconds));
}

// Plants an analysed error with these columns set, such as "service_name = 'login'".
inline domain::ErrorId plantAnalysed(TestDatabase& database, const std::string& columns = {}) {
  const domain::ErrorId id = plantError(database, "ANALYSIS_COMPLETED");
  if (!columns.empty()) {
    database.execute(std::format("UPDATE auth_error SET {} WHERE id = {}", columns, id));
  }
  return id;
}

// Makes the errors that meet the condition members of this cluster.
inline void joinCluster(TestDatabase& database, domain::ClusterId clusterId,
                        const std::string& condition) {
  database.execute(std::format(
      "INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
      "SELECT {}, id, repeat('a', 64), now() FROM auth_error WHERE {} ON CONFLICT DO NOTHING",
      clusterId, condition));
}

// "RESOLVED by rule:x", or only the status if there is no decision.
inline std::string fateOf(TestDatabase& database, domain::ErrorId id) {
  return database.queryValue(std::format(
      "SELECT e.status || coalesce((SELECT ' by ' || string_agg(decided_by, ', ' ORDER BY d.id) "
      "FROM decision d WHERE d.auth_error_id = e.id), '') FROM auth_error e WHERE e.id = {}",
      id));
}

// Hits and failures: the total of each, including deltas not yet flushed.
inline TextRow countsOf(TestDatabase& database, domain::RuleId ruleId) {
  return database.queryRow(
      std::format("SELECT hit_count + coalesce(waiting.hits, 0) AS hits, "
                  "failure_count + coalesce(waiting.failures, 0) AS failures FROM rule LEFT JOIN "
                  "(SELECT rule_id, sum(hits) AS hits, sum(failures) AS failures FROM rule_delta "
                  "GROUP BY rule_id) waiting ON waiting.rule_id = rule.id WHERE rule.id = {}",
                  ruleId));
}

// Makes decisions that meet the condition on `NEW` fail with this SQLSTATE after a delay.
inline void failDecisions(TestDatabase& database, const std::string& condition,
                          const std::string& sqlState = "P0001", const std::string& seconds = "0") {
  database.execute(std::format(
      "CREATE OR REPLACE FUNCTION fail_decision() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF {} THEN PERFORM pg_sleep({}); RAISE EXCEPTION 'planted' USING ERRCODE = '{}'; END IF; "
      "RETURN NEW; END $$; "
      "CREATE OR REPLACE TRIGGER fail_decision BEFORE INSERT ON decision FOR EACH ROW EXECUTE "
      "FUNCTION fail_decision()",
      condition, seconds, sqlState));
}

}  // namespace auth_errors::tests
