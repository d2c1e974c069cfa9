#include "tests/support/stored_errors.h"

#include <array>
#include <cstdlib>
#include <format>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <libpq-fe.h>

namespace auth_errors::tests {
namespace {

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

Connection connect(const std::string& databaseUrl) {
  Connection connection(PQconnectdb(databaseUrl.c_str()), PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    throw std::runtime_error(std::string("cannot check the database: ") +
                             PQerrorMessage(connection.get()));
  }
  return connection;
}

Result execute(PGconn* connection, const std::string& sql) {
  Result result(PQexec(connection, sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_COPY_IN) {
    throw std::runtime_error(std::format("{}: {}", sql, PQerrorMessage(connection)));
  }
  return result;
}

std::string copyField(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '\\' || character == '\t' || character == '\n' || character == '\r') {
      escaped += '\\';
    }
    escaped += character;
  }
  return escaped;
}

void copyAcknowledged(PGconn* connection, std::span<const AcknowledgedError> acknowledged) {
  execute(connection, "CREATE TEMP TABLE told (request_id text, auth_error_id bigint)");
  execute(connection, "COPY told FROM STDIN");
  std::string lines;
  const auto flush = [&] {
    if (PQputCopyData(connection, lines.data(), static_cast<int>(lines.size())) != 1) {
      throw std::runtime_error(PQerrorMessage(connection));
    }
    lines.clear();
  };
  constexpr std::size_t kPortion = 65536;
  for (const AcknowledgedError& error : acknowledged) {
    lines += std::format("{}\t{}\n", copyField(error.requestId), error.authErrorId);
    if (lines.size() > kPortion) {
      flush();
    }
  }
  flush();
  PQputCopyEnd(connection, nullptr);
  while (const Result result{PQgetResult(connection), PQclear}) {
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
      throw std::runtime_error(PQerrorMessage(connection));
    }
  }
  execute(connection, "ANALYZE told");
}

struct Promise {
  std::string_view brokenAs;
  std::string_view violations;  // a query of one text column
};

// The recorded events alone are counted: later events of the same error have their own rules.
constexpr std::array kPromises{
    Promise{"acknowledged with two different ids",
            "SELECT request_id FROM told GROUP BY request_id "
            "HAVING count(DISTINCT auth_error_id) > 1"},
    Promise{"acknowledged but missing",
            "SELECT request_id FROM told WHERE NOT EXISTS "
            "(SELECT FROM auth_error WHERE dedup_key = request_id)"},
    Promise{"stored under another id than was told",
            "SELECT format('%s told %s stored %s', request_id, auth_error_id, id) "
            "FROM told JOIN auth_error ON dedup_key = request_id WHERE id <> auth_error_id"},
    Promise{"stored more than once",
            "SELECT dedup_key FROM auth_error GROUP BY dedup_key HAVING count(*) > 1"},
    Promise{"an auth_error without its recorded event",
            "SELECT format('%s (%s)', id, dedup_key) FROM auth_error a WHERE NOT EXISTS "
            "(SELECT FROM outbox_message o WHERE o.aggregate_id::text = a.id::text "
            "AND o.event_type = 'auth.error.recorded.v1')"},
    Promise{"an auth_error with more than one recorded event",
            "SELECT aggregate_id::text FROM outbox_message "
            "WHERE event_type = 'auth.error.recorded.v1' GROUP BY aggregate_id "
            "HAVING count(*) > 1"},
    Promise{"a recorded event with a wrong idempotency_key or aggregate_type",
            "SELECT format('%s %s %s', id, aggregate_type, idempotency_key) FROM outbox_message "
            "WHERE event_type = 'auth.error.recorded.v1' AND (aggregate_type <> 'auth_error' "
            "OR idempotency_key <> 'auth_error:recorded:' || aggregate_id)"},
    Promise{"an idempotency_key used more than once",
            "SELECT idempotency_key FROM outbox_message GROUP BY idempotency_key "
            "HAVING count(*) > 1"},
    Promise{"an event without its auth_error",
            "SELECT format('%s (aggregate %s)', id, aggregate_id) FROM outbox_message o "
            "WHERE NOT EXISTS (SELECT FROM auth_error a WHERE a.id::text = o.aggregate_id::text)"},
};

}  // namespace

void executeSql(const std::string& databaseUrl, const std::string& sql) {
  const Connection connection = connect(databaseUrl);
  execute(connection.get(), sql);
}

StoredCounts countStored(const std::string& databaseUrl) {
  const Connection connection = connect(databaseUrl);
  const Result result =
      execute(connection.get(),
              "SELECT (SELECT count(*) FROM auth_error), (SELECT count(*) FROM outbox_message "
              "WHERE event_type = 'auth.error.recorded.v1')");
  return {.authErrors = std::atoll(PQgetvalue(result.get(), 0, 0)),
          .recordedEvents = std::atoll(PQgetvalue(result.get(), 0, 1))};
}

std::vector<std::string> findBrokenPromises(const std::string& databaseUrl,
                                            std::span<const AcknowledgedError> acknowledged) {
  const Connection connection = connect(databaseUrl);
  // One snapshot for all queries: a row that commits between two of them is no broken promise.
  execute(connection.get(), "BEGIN ISOLATION LEVEL REPEATABLE READ");
  copyAcknowledged(connection.get(), acknowledged);
  std::vector<std::string> broken;
  for (const Promise& promise : kPromises) {
    const Result result =
        execute(connection.get(),
                std::format("SELECT count(*), array_to_string((array_agg(what))[1:5], ', ') "
                            "FROM ({}) AS violation(what)",
                            promise.violations));
    const std::string count = PQgetvalue(result.get(), 0, 0);
    if (count != "0") {
      broken.push_back(std::format("{}: {} (for example {})", promise.brokenAs, count,
                                   PQgetvalue(result.get(), 0, 1)));
    }
  }
  return broken;
}

}  // namespace auth_errors::tests
