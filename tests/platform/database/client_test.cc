#include "platform/database/client.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <format>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/database_fixture.h"
#include "tests/support/postgres_server.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::ClientOptions;
using database::Deadline;
using database::Error;
using database::Failure;
using database::Result;
using database::Statement;
using database::Transaction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

const Statement kSleep{.name = "sleep", .sql = "SELECT pg_sleep($1)"};
const Statement kBackend{.name = "backend", .sql = "SELECT pg_backend_pid()"};

class DatabaseClient : public DatabaseTest {
 protected:
  DatabaseClient() : DatabaseTest(Contents::nothing) {}

  std::future<Result> startSleep(Client& client, double seconds, std::chrono::milliseconds time) {
    return clients_.start(
        [&client, seconds, deadline = in(time)] { return client.run(kSleep, deadline, seconds); });
  }
  std::int32_t backend(Client& client) {
    return clients_.run([&client] { return client.run(kBackend, in(10s)); }).only<std::int32_t>();
  }
  bool sleeps() {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
               "state = 'active' AND wait_event = 'PgSleep'") != "0";
  }
};

TEST_F(DatabaseClient, SetsItsApplicationNameAndLimits) {
  ClientOptions options = this->options();
  options.statementTimeout = 12'345ms;
  options.lockTimeout = 2'345ms;
  options.idleInTransactionTimeout = 3'456ms;
  options.parallelPlans = false;
  options.url += "?options=-c%20work_mem%3D4321kB";
  Client& client = clients_.connect(options);
  const Result result = clients_.query(
      client,
      "SELECT current_setting('application_name'), current_setting('statement_timeout'), "
      "current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'), "
      "current_setting('work_mem'), current_setting('client_encoding'), "
      "current_setting('max_parallel_workers_per_gather')");
  EXPECT_THAT((result.only<std::array<std::string, 7>>()),
              ElementsAre("database-test", "12345ms", "2345ms", "3456ms", "4321kB", "UTF8", "0"));
  EXPECT_TRUE(client.connected());
}

TEST_F(DatabaseClient, OverridesSettingsOfTheRoleAndTheUrl) {
  const std::vector<std::pair<std::string, std::string>> pinned{
      {"synchronous_commit", "off"}, {"default_transaction_isolation", "serializable"},
      {"TimeZone", "Asia/Seoul"},    {"DateStyle", "German"},
      {"IntervalStyle", "iso_8601"}, {"standard_conforming_strings", "off"},
      {"bytea_output", "escape"},    {"log_parameter_max_length_on_error", "-1"},
      {"client_encoding", "LATIN1"}};
  for (const auto& [setting, value] : pinned) {
    database_.execute(
        std::format("ALTER DATABASE {0} SET {1} = '{2}'; "
                    "ALTER ROLE CURRENT_USER IN DATABASE {0} SET {1} = '{2}'",
                    database_.name(), setting, value));
  }
  ClientOptions options = this->options();
  options.url += "?options=-c%20synchronous_commit%3Doff%20-c%20TimeZone%3DAsia%2FSeoul";
  Client& client = clients_.connect(options);
  std::string settings;
  for (const auto& [setting, value] : pinned) {
    settings += clients_.query(client, std::format("SELECT current_setting('{}')", setting))
                    .only<std::string>() +
                "; ";
  }
  EXPECT_EQ(settings, "on; read committed; UTC; ISO, MDY; postgres; on; hex; 0; UTF8; ");
}

TEST_F(DatabaseClient, OverridesSettingsOfTheEnvironment) {
  ::setenv("PGTZ", "Asia/Seoul", 1);            // NOLINT(concurrency-mt-unsafe)
  ::setenv("PGDATESTYLE", "German", 1);         // NOLINT(concurrency-mt-unsafe)
  ::setenv("PGOPTIONS", "-c TimeZone=EST", 1);  // NOLINT(concurrency-mt-unsafe)
  database::ignoreSessionEnvironment();
  Client& client = connect();
  const Result result = clients_.query(
      client, "SELECT current_setting('TimeZone') || '; ' || current_setting('DateStyle')");
  EXPECT_EQ(result.only<std::string>(), "UTC; ISO, MDY");
  ::unsetenv("PGOPTIONS");  // NOLINT(concurrency-mt-unsafe)
}

TEST_F(DatabaseClient, RefusesAnInvalidUrlWithoutQuotingIt) {
  for (const std::string url :
       {"postgresql://user:secret@host:port:port/x", "postgresql://user:secret/word@host/x",
        "host=localhost password=secret", "postgresql://user:secret@host/db?nonsense=1", ""}) {
    try {
      clients_.connect({.url = url});
      ADD_FAILURE() << "the URL was accepted";
    } catch (const std::invalid_argument& refusal) {
      EXPECT_THAT(refusal.what(), Not(HasSubstr("secret")));
      EXPECT_THAT(refusal.what(), HasSubstr("database URL"));
    }
  }
}

TEST_F(DatabaseClient, PreparesAStatementOncePerConnection) {
  Client& client = connect();
  const Statement statement{.name = "twice", .sql = "SELECT $1 + 1"};
  for (std::int32_t value = 0; value < 3; ++value) {
    const Result result = clients_.run([&] { return client.run(statement, in(10s), value); });
    EXPECT_EQ(result.only<std::int32_t>(), value + 1);
  }
  const Result prepared = clients_.query(
      client,
      "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE name = 'twice'");
  EXPECT_THAT(prepared.column<std::int64_t>(), ElementsAre(3));
}

TEST_F(DatabaseClient, RefusesTwoTextsUnderOneName) {
  Client& client = connect();
  clients_.run([&] { return client.run(kBackend, in(10s)); });
  EXPECT_THROW(
      clients_.run([&] { return client.run({.name = kBackend.name, .sql = "SELECT 1"}, in(10s)); }),
      std::logic_error);
}

TEST_F(DatabaseClient, PreparesAgainForOtherParameterTypes) {
  Client& client = connect();
  const Statement statement{.name = "typed", .sql = "SELECT ($1 + 1)::int8"};
  const auto run = [&](auto value) {
    const Result result = clients_.run([&] { return client.run(statement, in(10s), value); });
    return result.only<std::int64_t>();
  };
  EXPECT_EQ(run(std::int32_t{1}), 2);
  EXPECT_EQ(run(std::int64_t{5'000'000'000}), 5'000'000'001);
  EXPECT_EQ(run(std::int32_t{3}), 4);
}

TEST_F(DatabaseClient, PreparesAgainAfterTheTableChanged) {
  database_.execute("CREATE TABLE item (id int); INSERT INTO item VALUES (1)");
  Client& client = connect();
  const Statement statement{.name = "items", .sql = "SELECT * FROM item"};
  const auto columns = [&] {
    return clients_.run([&] { return client.run(statement, in(10s)); }).columns();
  };
  EXPECT_EQ(columns(), 1);
  database_.execute("ALTER TABLE item ADD name text");
  EXPECT_EQ(columns(), 2);
  EXPECT_EQ(columns(), 2);
}

TEST_F(DatabaseClient, PreparesAgainAfterTheServerDiscardedThePlan) {
  Client& client = connect();
  const std::int32_t before = backend(client);
  clients_.run([&] { return client.script("DEALLOCATE ALL", in(10s)); });
  EXPECT_EQ(backend(client), before);
}

TEST_F(DatabaseClient, ReportsTheSqlState) {
  Client& client = connect();
  const Error syntax = errorOf([&] { clients_.query(client, "SELEKT 1"); });
  EXPECT_EQ(syntax.failure(), Failure::statement);
  EXPECT_EQ(syntax.sqlState(), "42601");
  EXPECT_FALSE(syntax.isDataFault());
  EXPECT_FALSE(syntax.isConflict());
  EXPECT_THAT(syntax.what(), HasSubstr("syntax error"));
  const Error prepared = errorOf([&] {
    clients_.run([&] { return client.run({.name = "bad", .sql = "SELECT nothing"}, in(10s)); });
  });
  EXPECT_EQ(prepared.sqlState(), "42703");
  EXPECT_EQ(clients_.query(client, "SELECT 1").only<std::int32_t>(), 1)
      << "the connection is still usable";
}

TEST_F(DatabaseClient, DataFaultsNameTheConstraintAndHideTheValue) {
  database_.execute(
      "CREATE TABLE item (secret text CONSTRAINT secret_unique UNIQUE, "
      "CONSTRAINT secret_short CHECK (length(secret) < 30), word varchar(3), must int NOT NULL)");
  Client& client = connect();
  const Statement insert{.name = "insert",
                         .sql = "INSERT INTO item VALUES ($1, $2, $3::text::int)"};
  const auto run = [&](const std::string& secret, const std::string& word,
                       std::optional<std::string> must) {
    clients_.run([&] { return client.run(insert, in(10s), secret, word, must); });
  };
  run("hunter2", "a", "1");
  struct Case {
    std::string secret, word;
    std::optional<std::string> must;
    std::string sqlState, constraint;
  };
  for (const Case& fault : std::vector<Case>{
           {"hunter2", "a", "1", "23505", "secret_unique"},
           {std::string(20, 'h') + "hunter2unter2", "a", "1", "23514", "secret_short"},
           {"x", "hunter2", "1", "22001", ""},
           {"y", "a", "hunter2", "22P02", ""},
           {"hunter23", "a", std::nullopt, "23502", ""}}) {
    const Error error = errorOf([&] { run(fault.secret, fault.word, fault.must); });
    EXPECT_EQ(error.sqlState(), fault.sqlState);
    EXPECT_EQ(error.constraint(), fault.constraint);
    EXPECT_TRUE(error.isDataFault());
    EXPECT_THAT(error.what(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(error.what(), HasSubstr(fault.constraint));
    EXPECT_THAT(error.what(), HasSubstr(fault.sqlState));
  }
}

TEST_F(DatabaseClient, RunsScriptsOfManyStatements) {
  Client& client = connect();
  clients_.run([&] {
    return client.script("CREATE TABLE a (x int); INSERT INTO a VALUES (1); SELECT * FROM a; ;",
                         in(10s));
  });
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM a"), "1");
  const Error error = errorOf([&] {
    clients_.run([&] { return client.script("INSERT INTO a VALUES (2); SELECT 1/0", in(10s)); });
  });
  EXPECT_EQ(error.sqlState(), "22012");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM a"), "1");
  const std::string cut = std::string("INSERT INTO a VALUES (3);") + '\0' + "SELECT 1/0";
  EXPECT_EQ(errorOf([&] { clients_.run([&] { return client.script(cut, in(10s)); }); }).sqlState(),
            "22021");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM a"), "1");
}

TEST_F(DatabaseClient, RollsBackATransactionLeftOpenByAScript) {
  Client& client = connect();
  clients_.run([&] { return client.script("BEGIN; CREATE TABLE a (x int)", in(10s)); });
  EXPECT_EQ(clients_.query(client, "SELECT to_regclass('a') IS NULL").only<bool>(), true);
}

TEST_F(DatabaseClient, RefusesCopyAndRecovers) {
  Client& client = connect();
  database_.execute("CREATE TABLE a (x int)");
  const Error error =
      errorOf([&] { clients_.run([&] { return client.script("COPY a FROM STDIN", in(10s)); }); });
  EXPECT_EQ(error.failure(), Failure::statement);
  EXPECT_EQ(clients_.query(client, "SELECT 1").only<std::int32_t>(), 1);
}

TEST_F(DatabaseClient, ReturnsLargeResultsInFull) {
  Client& client = connect();
  const Result result =
      clients_.query(client, "SELECT i, repeat('x', 1000) FROM generate_series(1::int8, 50000) i");
  const auto rows = result.as<std::pair<std::int64_t, std::string_view>>();
  ASSERT_EQ(rows.size(), 50'000);
  EXPECT_EQ(rows.back().first, 50'000);
  EXPECT_EQ(rows.back().second.size(), 1000);
}

TEST_F(DatabaseClient, SendsLargeParametersInFull) {
  Client& client = connect();
  const std::string big(40'000'000, 'x');
  EXPECT_EQ(clients_.query(client, "SELECT length($1)", big).only<std::int32_t>(), 40'000'000);
}

TEST_F(DatabaseClient, ServesCallsInOrder) {
  Client& client = connect();
  database_.execute("CREATE TABLE a (id int GENERATED ALWAYS AS IDENTITY, x int)");
  const Statement insert{.name = "insert", .sql = "INSERT INTO a (x) VALUES ($1)"};
  std::vector<std::future<Result>> calls;
  for (std::int32_t value = 0; value < 100; ++value) {
    calls.push_back(clients_.start([&, value] { return client.run(insert, in(10s), value); }));
  }
  for (auto& call : calls) {
    await(std::move(call), 10s);
  }
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM a WHERE id = x + 1"), "100");
}

TEST_F(DatabaseClient, UsesAllItsConnections) {
  Client& client = connect(4);
  const auto backends = clients_.run([&]() -> drogon::Task<std::set<std::int32_t>> {
    std::vector<Transaction> transactions;
    std::set<std::int32_t> found;
    for (int count = 0; count < 4; ++count) {
      transactions.push_back(co_await client.begin(in(10s)));
      const Result result = co_await transactions.back().run(kBackend);
      found.insert(result.only<std::int32_t>());
    }
    co_return found;
  });
  EXPECT_EQ(backends.size(), 4);
}

TEST_F(DatabaseClient, RefusesCallsBeyondItsQueue) {
  ClientOptions options = this->options();
  options.queueLimit = 2;
  Client& client = clients_.connect(options);
  EXPECT_EQ(clients_.query(client, "SELECT 1").rows(), 1);
  auto running = startSleep(client, 0.5, 10s);
  auto first = startSleep(client, 0, 10s);
  auto second = startSleep(client, 0, 10s);
  const auto begin = std::chrono::steady_clock::now();
  const Error error = errorOf([&] { await(startSleep(client, 0, 10s), 10s); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 400ms) << "it must be refused at once";
  EXPECT_EQ(error.failure(), Failure::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("too many"));
  EXPECT_NO_THROW(await(std::move(running), 10s));
  EXPECT_NO_THROW(await(std::move(first), 10s));
  EXPECT_NO_THROW(await(std::move(second), 10s));
}

TEST_F(DatabaseClient, ADeadlinePassedWhileQueuedMeansNotExecuted) {
  database_.execute("CREATE TABLE a (x int)");
  Client& client = connect();
  auto running = startSleep(client, 1, 10s);
  const auto begin = std::chrono::steady_clock::now();
  const Error error = errorOf([&] {
    clients_.run(
        [&] { return client.run({.name = "", .sql = "INSERT INTO a VALUES (1)"}, in(100ms)); });
  });
  EXPECT_EQ(error.failure(), Failure::unavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 700ms);
  EXPECT_NO_THROW(await(std::move(running), 10s));
  EXPECT_EQ(clients_.query(client, "SELECT count(*) FROM a").only<std::int64_t>(), 0);
}

TEST_F(DatabaseClient, ADeadlineAlreadyPastMeansNotExecuted) {
  Client& client = connect();
  const Error error =
      errorOf([&] { clients_.queryWithin(std::chrono::milliseconds(-1), client, "SELECT 1"); });
  EXPECT_EQ(error.failure(), Failure::unavailable);
}

TEST_F(DatabaseClient, ADeadlineInFlightCancelsAndFreesTheConnection) {
  Client& client = connect();
  const std::int32_t before = backend(client);
  const auto begin = std::chrono::steady_clock::now();
  const Error error = errorOf([&] { await(startSleep(client, 60, 300ms), 10s); });
  EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  EXPECT_EQ(backend(client), before) << "the session must continue";
  EXPECT_FALSE(sleeps());
}

TEST_F(DatabaseClient, ACancelNeverHitsTheNextStatement) {
  Client& client = connect(2);
  for (int round = 0; round < 30; ++round) {
    // Deadlines near the end of the statement, so that cancel and reply cross.
    auto sleeping = startSleep(client, 0.010, 8ms + std::chrono::milliseconds(round % 5));
    auto next = startSleep(client, 0.005, 10s);
    auto last = startSleep(client, 0.005, 10s);
    EXPECT_NO_THROW(await(std::move(next), 10s));
    EXPECT_NO_THROW(await(std::move(last), 10s));
    try {
      await(std::move(sleeping), 10s);
    } catch (const Error& error) {
      EXPECT_NE(error.failure(), Failure::statement) << error.what();
    }
  }
}

TEST_F(DatabaseClient, AConnectionThatIgnoresACancelIsReplaced) {
  ClientOptions options = this->options();
  options.cancelGrace = 200ms;
  Client& client = clients_.connect(options);
  database_.execute(R"(CREATE FUNCTION stubborn() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      LOOP
        BEGIN
          PERFORM pg_sleep(1);
          EXIT WHEN clock_timestamp() > statement_timestamp() + interval '5 s';
        EXCEPTION WHEN query_canceled THEN NULL;
        END;
      END LOOP;
    END $$)");
  const std::int32_t before = backend(client);
  const Error error =
      errorOf([&] { clients_.queryWithin(100ms, client, "SELECT 1 FROM stubborn()"); });
  EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
  EXPECT_NE(backend(client), before);
}

TEST_F(DatabaseClient, ATerminatedBackendMeansOutcomeUnknownAndANewConnection) {
  Client& client = connect();
  const std::int32_t before = backend(client);
  auto sleeping = startSleep(client, 60, 30s);
  ASSERT_TRUE(eventually([&] { return sleeps(); }));
  database_.execute("SELECT pg_terminate_backend(" + std::to_string(before) + ")");
  const Error error = errorOf([&] { await(std::move(sleeping), 10s); });
  EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
  EXPECT_EQ(error.sqlState(), "57P01");
  EXPECT_NE(backend(client), before) << "expected a new connection";
}

TEST_F(DatabaseClient, AnIdleConnectionThatIsLostIsReplaced) {
  Client& client = connect();
  const std::int32_t before = backend(client);
  database_.execute("SELECT pg_terminate_backend(" + std::to_string(before) + ", 5000)");
  EXPECT_TRUE(eventually([&] {
    try {
      return backend(client) != before;
    } catch (const Error& error) {
      // Sent between the end of the session and its detection here.
      EXPECT_NE(error.failure(), Failure::statement) << error.what();
      return false;
    }
  }));
}

TEST_F(DatabaseClient, WithoutAServerCallsFailInTimeAndThenAtOnce) {
  ClientOptions options = this->options();
  options.url = "postgresql://postgres@127.0.0.1:1/none";
  options.failFastAfter = 300ms;
  Client& client = clients_.connect(options);
  const auto begin = std::chrono::steady_clock::now();
  const Error waited = errorOf([&] { clients_.queryWithin(150ms, client, "SELECT 1"); });
  EXPECT_EQ(waited.failure(), Failure::unavailable);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 150ms);
  const Error flushed = errorOf([&] { clients_.queryWithin(20s, client, "SELECT 1"); });
  EXPECT_EQ(flushed.failure(), Failure::unavailable);
  const auto again = std::chrono::steady_clock::now();
  const Error refused = errorOf([&] { clients_.queryWithin(20s, client, "SELECT 1"); });
  EXPECT_EQ(refused.failure(), Failure::unavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - again, 100ms);
  EXPECT_FALSE(client.connected());
}

TEST_F(DatabaseClient, ClosingEndsEveryCall) {
  Client& client = connect();
  backend(client);
  auto running = startSleep(client, 60, 60s);
  auto queued = startSleep(client, 0, 60s);
  ASSERT_TRUE(eventually([&] { return sleeps(); }));
  callOn(clients_.loop(), [&] { client.close(); });
  EXPECT_EQ(errorOf([&] { await(std::move(running), 10s); }).failure(), Failure::outcomeUnknown);
  EXPECT_EQ(errorOf([&] { await(std::move(queued), 10s); }).failure(), Failure::unavailable);
  EXPECT_EQ(errorOf([&] { clients_.query(client, "SELECT 1"); }).failure(), Failure::unavailable);
  EXPECT_FALSE(client.connected());
}

TEST_F(DatabaseClient, ATaskOutlivesItsArguments) {
  Client& client = connect();
  const Result result = clients_.run([&] {
    const Statement statement{.name = "", .sql = "SELECT $1 || array_to_string($2, '')"};
    const std::string text(1000, 'a');
    const std::vector<std::string> texts(2, std::string(1000, 'b'));
    return client.run(statement, in(10s), text, texts);
  });
  EXPECT_EQ(result.only<std::string>(), std::string(1000, 'a') + std::string(2000, 'b'));
}

TEST_F(DatabaseClient, AnAbandonedCallDoesNoHarm) {
  Client& client = connect();
  backend(client);
  callOn(clients_.loop(), [&] {
    // Started, suspended, and destroyed while it waits.
    drogon::Task<Result> task = client.run(kSleep, in(10s), 0.05);
    task.coro_.resume();
  });
  EXPECT_EQ(clients_.query(client, "SELECT 1").rows(), 1);
}

TEST_F(DatabaseClient, AClientMayBeDestroyedDuringCalls) {
  auto client = callOn(clients_.loop(),
                       [&] { return std::make_shared<Client>(clients_.loop(), options(2)); });
  backend(*client);
  std::vector<std::future<Result>> calls;
  for (int call = 0; call < 4; ++call) {
    calls.push_back(startSleep(*client, 60, 60s));
  }
  ASSERT_TRUE(eventually([&] { return sleeps(); }));
  // From this thread, which merely posts to the loop.
  client.reset();
  for (auto& call : calls) {
    EXPECT_NE(errorOf([&] { await(std::move(call), 10s); }).failure(), Failure::statement);
  }
}

TEST_F(DatabaseClient, UsesTlsAccordingToTheUrl) {
  PostgresServer server({.tls = true, .settings = {}});
  const std::string root = "&sslrootcert=" + server.certificate().string();
  const auto encrypted = [&](const std::string& mode) {
    Client& client = clients_.connect({.url = server.url() + "?sslmode=" + mode});
    return clients_.query(client, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        .only<bool>();
  };
  EXPECT_FALSE(encrypted("disable"));
  EXPECT_TRUE(encrypted("prefer"));
  EXPECT_TRUE(encrypted("require"));
  EXPECT_TRUE(encrypted("verify-full" + root));

  // An authority that did not sign the server's certificate.
  PostgresServer other({.tls = true, .settings = {}});
  Client& client = clients_.connect(
      {.url = server.url() + "?sslmode=verify-full&sslrootcert=" + other.certificate().string()});
  EXPECT_EQ(errorOf([&] { clients_.queryWithin(1s, client, "SELECT 1"); }).failure(),
            Failure::unavailable);

  Client& cancelling = clients_.connect({.url = server.url() + "?sslmode=require"});
  const std::int32_t before = backend(cancelling);
  EXPECT_EQ(errorOf([&] { await(startSleep(cancelling, 60, 300ms), 10s); }).failure(),
            Failure::outcomeUnknown);
  EXPECT_EQ(backend(cancelling), before) << "it must be cancelled over TLS and reused";
}

TEST_F(DatabaseClient, FallsBackFromTlsOnlyIfTheUrlAllowsIt) {
  PostgresServer server;
  Client& prefers = clients_.connect({.url = server.url() + "?sslmode=prefer"});
  EXPECT_EQ(clients_.query(prefers, "SELECT 1").rows(), 1);
  Client& demands = clients_.connect({.url = server.url() + "?sslmode=require"});
  EXPECT_EQ(errorOf([&] { clients_.queryWithin(1s, demands, "SELECT 1"); }).failure(),
            Failure::unavailable);
}

TEST_F(DatabaseClient, TriesTheNextHostOfTheUrl) {
  const std::string url = database_.url();
  const auto host = url.find('@') + 1;
  Client& client =
      clients_.connect({.url = url.substr(0, host) + "127.0.0.1:1," + url.substr(host)});
  EXPECT_EQ(clients_.query(client, "SELECT 1").rows(), 1);
}

}  // namespace
}  // namespace auth_errors::tests
