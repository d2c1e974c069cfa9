#include "tests/support/stored_errors.h"

#include <array>
#include <cstdlib>
#include <format>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

std::string sqlQuoted(std::string_view text) {
  std::string literal = "'";
  for (const char character : text) {
    literal += character;
    if (character == '\'') {
      literal += character;
    }
  }
  return literal + "'";
}

void insertAcknowledged(PlainConnection& connection,
                        std::span<const AcknowledgedError> acknowledged) {
  connection.execute("CREATE TEMP TABLE told (request_id text, auth_error_id bigint)");
  constexpr std::size_t kChunkSize = 1000;
  for (std::size_t first = 0; first < acknowledged.size(); first += kChunkSize) {
    std::string rows;
    for (const AcknowledgedError& error :
         acknowledged.subspan(first, std::min(kChunkSize, acknowledged.size() - first))) {
      rows += std::format("{}({},{})", rows.empty() ? "" : ",", sqlQuoted(error.requestId),
                          error.authErrorId);
    }
    connection.execute("INSERT INTO told VALUES " + rows);
  }
  connection.execute("ANALYZE told");
}

struct Promise {
  std::string_view brokenAs;
  std::string_view violations;  // a query with one text column
};

// Only recorded events are counted: later events of the same error have their own rules.
constexpr std::array kPromises{
    Promise{.brokenAs = "acknowledged with two different ids",
            .violations = "SELECT request_id FROM told GROUP BY request_id "
                          "HAVING count(DISTINCT auth_error_id) > 1"},
    Promise{.brokenAs = "acknowledged but missing",
            .violations = "SELECT request_id FROM told WHERE NOT EXISTS "
                          "(SELECT FROM auth_error WHERE dedup_key = request_id)"},
    Promise{.brokenAs = "stored under another id than was told",
            .violations =
                "SELECT format('%s told %s stored %s', request_id, auth_error_id, id) "
                "FROM told JOIN auth_error ON dedup_key = request_id WHERE id <> auth_error_id"},
    Promise{
        .brokenAs = "stored more than once",
        .violations = "SELECT dedup_key FROM auth_error GROUP BY dedup_key HAVING count(*) > 1"},
    Promise{.brokenAs = "an auth_error without its recorded event",
            .violations =
                "SELECT format('%s (%s)', id, dedup_key) FROM auth_error a WHERE NOT EXISTS "
                "(SELECT FROM outbox_message o WHERE o.aggregate_id = a.id "
                "AND o.event_type = 'auth.error.recorded.v1')"},
    Promise{.brokenAs = "an auth_error with more than one recorded event",
            .violations = "SELECT aggregate_id::text FROM outbox_message "
                          "WHERE event_type = 'auth.error.recorded.v1' GROUP BY aggregate_id "
                          "HAVING count(*) > 1"},
    Promise{
        .brokenAs = "a recorded event with a wrong idempotency_key or aggregate_type",
        .violations =
            "SELECT format('%s %s %s', id, aggregate_type, idempotency_key) FROM outbox_message "
            "WHERE event_type = 'auth.error.recorded.v1' AND (aggregate_type <> 'auth_error' "
            "OR idempotency_key <> 'auth_error:recorded:' || aggregate_id)"},
    Promise{.brokenAs = "an idempotency_key used more than once",
            .violations = "SELECT idempotency_key FROM outbox_message GROUP BY idempotency_key "
                          "HAVING count(*) > 1"},
    Promise{.brokenAs = "an event without its auth_error",
            .violations =
                "SELECT format('%s (aggregate %s)', id, aggregate_id) FROM outbox_message o "
                "WHERE NOT EXISTS (SELECT FROM auth_error a WHERE a.id = o.aggregate_id)"},
};

}  // namespace

StoredCounts countStored(const std::string& databaseUrl) {
  PlainConnection connection(databaseUrl);
  return {.authErrors = std::stoll(connection.queryValue("SELECT count(*) FROM auth_error")),
          .recordedEvents =
              std::stoll(connection.queryValue("SELECT count(*) FROM outbox_message WHERE "
                                               "event_type = 'auth.error.recorded.v1'"))};
}

std::vector<std::string> findBrokenPromises(const std::string& databaseUrl,
                                            std::span<const AcknowledgedError> acknowledged) {
  PlainConnection connection(databaseUrl);
  insertAcknowledged(connection, acknowledged);
  // One snapshot for all queries: a row that commits between two of them is not a violation.
  connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
  std::vector<std::string> broken;
  for (const Promise& promise : kPromises) {
    const TextRow row =
        connection
            .queryText(std::format("SELECT count(*), array_to_string((array_agg(what))[1:5], ', ') "
                                   "FROM ({}) AS violation(what)",
                                   promise.violations))
            .at(0);
    if (row.at(0) != "0") {
      broken.push_back(std::format("{}: {} (for example {})", promise.brokenAs,
                                   row.at(0).value_or("?"), row.at(1).value_or("?")));
    }
  }
  return broken;
}

void insertMany(const std::string& databaseUrl, int count, int traceLines) {
  PlainConnection(databaseUrl)
      .execute(std::format(
          "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
          "http_status, exception_class, stacktrace, retry_count) "
          "SELECT 'many-' || n, 'NEW', at, at, at, 401, 'org.example.Many', "
          "repeat(md5(n::text) || E'\\n', {1}), 0 FROM (SELECT n, now() - ({0} - n) * interval '1 "
          "second' AS at FROM generate_series(1, {0}) AS n) AS many ORDER BY n",
          count, traceLines));
}

}  // namespace auth_errors::tests
