#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::Error;
using database::Failure;
using database::Result;
using database::Statement;
using database::Transaction;
using drogon::Task;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const Statement kInsert{.name = "insert", .sql = "INSERT INTO item VALUES ($1)"};

class DatabaseTransaction : public DatabaseTest {
 protected:
  DatabaseTransaction() : DatabaseTest(Contents::nothing) {
    database_.execute("CREATE TABLE item (id int PRIMARY KEY)");
  }

  std::vector<TextRow> items() { return database_.queryText("SELECT id FROM item ORDER BY id"); }
  std::int32_t backend() {
    return clients_.query(client_, "SELECT pg_backend_pid()").only<std::int32_t>();
  }

  static Task<Result> insert(Transaction& transaction, std::int32_t id) {
    return transaction.run(kInsert, id);
  }

  Client& client_ = connect();
};

TEST_F(DatabaseTransaction, CommitsItsStatements) {
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    co_await insert(transaction, 2);
    EXPECT_THAT(items(), IsEmpty()) << "invisible before the commit";
    co_await transaction.commit();
    EXPECT_THAT(items(), ElementsAre(Row(1), Row(2))) << "visible once the commit returns";
  });
}

TEST_F(DatabaseTransaction, RollsBackByDefault) {
  const std::int32_t before = backend();
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
  });
  EXPECT_EQ(backend(), before) << "expected the same connection";
  EXPECT_THAT(items(), IsEmpty());
  EXPECT_EQ(clients_.query(client_, "SELECT count(*) FROM item").only<std::int64_t>(), 0);
}

TEST_F(DatabaseTransaction, ContinuesFromASavepointAfterARefusedStatement) {
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    co_await transaction.script("SAVEPOINT here");
    co_await insert(transaction, 2);
    std::optional<Error> refused;
    try {
      co_await insert(transaction, 1);
    } catch (const Error& error) {
      refused = error;
    }
    EXPECT_TRUE(refused && refused->isDataFault());
    co_await transaction.script("ROLLBACK TO SAVEPOINT here");
    co_await insert(transaction, 3);
    co_await transaction.commit();
  });
  EXPECT_THAT(items(), ElementsAre(Row(1), Row(3)));
}

TEST_F(DatabaseTransaction, RollsBackOnRequest) {
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    co_await transaction.rollback();
    EXPECT_THROW((void)insert(transaction, 2), std::logic_error);
  });
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, RollsBackOnAnException) {
  EXPECT_THROW(clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    throw std::runtime_error("thrown by the caller");
  }),
               std::runtime_error);
  EXPECT_EQ(clients_.query(client_, "SELECT count(*) FROM item").only<std::int64_t>(), 0);
}

TEST_F(DatabaseTransaction, ACommitAfterAFailureIsAnError) {
  const Error error = errorOf([this] {
    clients_.run([this]() -> Task<void> {
      Transaction transaction = co_await client_.begin(in(10s));
      co_await insert(transaction, 1);
      bool refused = false;
      try {
        co_await insert(transaction, 1);
      } catch (const Error& failure) {
        refused = failure.sqlState() == "23505";
      }
      EXPECT_TRUE(refused);
      co_await transaction.commit();
    });
  });
  EXPECT_EQ(error.failure(), Failure::statement);
  EXPECT_EQ(error.sqlState(), "25P02");
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, OwnsItsConnection) {
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    std::optional<Failure> failure;
    try {
      co_await client_.run(kInsert, in(100ms), 2);
    } catch (const Error& error) {
      failure = error.failure();
    }
    EXPECT_EQ(failure, Failure::unavailable) << "the only connection is in use";
    co_await transaction.commit();
    co_await client_.run(kInsert, in(10s), 3);
  });
  EXPECT_THAT(items(), ElementsAre(Row(1), Row(3)));
}

TEST_F(DatabaseTransaction, WaitingCallsRunAfterIt) {
  std::promise<void> begun;
  auto holder = clients_.start([&]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    begun.set_value();
    co_await transaction.run({.name = "", .sql = "SELECT pg_sleep(0.2)"});
  });
  await(begun.get_future(), 10s);
  const Result waited = clients_.query(client_, "SELECT count(*) FROM item");
  EXPECT_EQ(waited.only<std::int64_t>(), 0) << "it must run after the rollback, not within it";
  await(std::move(holder), 10s);
}

TEST_F(DatabaseTransaction, ADeadlineInFlightAllowsOnlyTheRollback) {
  const std::int32_t before = backend();
  clients_.run([this]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    std::optional<Failure> failure;
    transaction.setDeadline(in(200ms));
    try {
      co_await transaction.run({.name = "", .sql = "SELECT pg_sleep(30)"});
    } catch (const Error& error) {
      failure = error.failure();
    }
    EXPECT_EQ(failure, Failure::outcomeUnknown);
    transaction.setDeadline(in(10s));
    std::string state;
    try {
      co_await transaction.commit();
    } catch (const Error& error) {
      state = error.sqlState();
    }
    EXPECT_EQ(state, "25P02");
  });
  EXPECT_EQ(backend(), before) << "it must be cancelled, rolled back and reused";
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, KeepsItsInitialDeadline) {
  backend();  // connected
  const Error error = errorOf([this] {
    clients_.run([this]() -> Task<void> {
      const auto deadline = in(300ms);
      Transaction transaction = co_await client_.begin(deadline);
      EXPECT_EQ(transaction.deadline(), deadline);
      co_await insert(transaction, 1);
      co_await transaction.run({.name = "", .sql = "SELECT pg_sleep(30)"});
    });
  });
  EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, ALostConnectionEndsItUncommitted) {
  const std::int32_t before = backend();
  clients_.run([&]() -> Task<void> {
    Transaction transaction = co_await client_.begin(in(10s));
    co_await insert(transaction, 1);
    database_.execute("SELECT pg_terminate_backend(" + std::to_string(before) + ", 5000)");
    std::optional<Failure> failure;
    try {
      co_await insert(transaction, 2);
    } catch (const Error& error) {
      failure = error.failure();
    }
    EXPECT_EQ(failure, Failure::outcomeUnknown);
    failure.reset();
    try {
      co_await transaction.commit();
    } catch (const Error& error) {
      failure = error.failure();
    }
    EXPECT_TRUE(failure.has_value());
  });
  EXPECT_NE(backend(), before);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, ACommitWhoseAnswerIsLostIsUnknown) {
  database_.execute(R"(
    CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait_long())");
  const Error error = errorOf([this] {
    clients_.run([this]() -> Task<void> {
      Transaction transaction = co_await client_.begin(in(10s));
      co_await insert(transaction, 1);
      transaction.setDeadline(in(300ms));
      co_await transaction.commit();
    });
  });
  EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
  EXPECT_EQ(clients_.query(client_, "SELECT count(*) FROM item").only<std::int64_t>(), 0);
}

TEST_F(DatabaseTransaction, AStatementMustNotEndIt) {
  const Error error = errorOf([this] {
    clients_.run([this]() -> Task<void> {
      Transaction transaction = co_await client_.begin(in(10s));
      co_await transaction.script("INSERT INTO item VALUES (1); COMMIT");
    });
  });
  EXPECT_EQ(error.sqlState(), "25P01");
  EXPECT_EQ(clients_.query(client_, "SELECT 1").rows(), 1);
}

TEST_F(DatabaseTransaction, MayBeAbandonedWithAStatementInFlight) {
  const std::int32_t before = backend();
  const auto task = callOn(clients_.loop(), [this] {
    auto started = std::make_shared<Task<void>>([](Client& client) -> Task<void> {
      Transaction transaction = co_await client.begin(in(60s));
      co_await insert(transaction, 1);
      co_await transaction.run({.name = "", .sql = "SELECT pg_sleep(30)"});
      co_await transaction.commit();
    }(client_));
    started->coro_.resume();
    return started;
  });
  ASSERT_TRUE(eventually([this] {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = "
               "current_database() AND wait_event = 'PgSleep'") == "1";
  }));
  callOn(clients_.loop(), [&task] { *task = Task<void>(nullptr); });
  EXPECT_EQ(backend(), before) << "it must be cancelled, rolled back and reused";
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(DatabaseTransaction, MayBeMovedAndReplaced) {
  clients_.run([this]() -> Task<void> {
    Transaction first = co_await client_.begin(in(10s));
    co_await insert(first, 1);
    Transaction moved = std::move(first);
    co_await insert(moved, 2);
    co_await moved.commit();
    moved = co_await client_.begin(in(10s));
    co_await insert(moved, 3);
  });
  EXPECT_EQ(clients_.query(client_, "SELECT count(*) FROM item").only<std::int64_t>(), 2);
}

TEST_F(DatabaseTransaction, ASessionRunsWhatATransactionCannotAndLeavesNothingBehind) {
  const std::int32_t before = backend();
  clients_.run([this]() -> Task<void> {
    database::Session session = co_await client_.reserve(in(10s));
    co_await session.script("SET work_mem = '4321kB'");
    const Statement lock{.name = "", .sql = "SELECT pg_advisory_lock(1)"};
    co_await session.run(lock);
    co_await session.script("CREATE INDEX CONCURRENTLY item_id ON item (id)");
    try {
      co_await session.script("SELECT 1/0");
    } catch (const Error& error) {
      EXPECT_EQ(error.sqlState(), "22012");
    }
    co_await session.script("BEGIN; INSERT INTO item VALUES (1)");
  });
  EXPECT_EQ(backend(), before);
  struct Left {
    bool setting;
    std::int64_t items;
    std::int64_t locks;
  };
  const auto left =
      clients_
          .query(client_,
                 "SELECT current_setting('work_mem') = '4321kB', (SELECT count(*) FROM item), "
                 "(SELECT count(*) "
                 "FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())")
          .only<Left>();
  EXPECT_FALSE(left.setting);
  EXPECT_EQ(left.items, 0);
  EXPECT_EQ(left.locks, 0);
}

TEST_F(DatabaseTransaction, ASessionContinuesAfterACancelledStatement) {
  const Result after = clients_.run([this]() -> Task<Result> {
    database::Session session = co_await client_.reserve(in(10s));
    const Statement own{.name = "", .sql = "SELECT pg_backend_pid()"};
    const Statement slow{.name = "", .sql = "SELECT pg_sleep(20)"};
    const Result before = co_await session.run(own);
    session.setDeadline(in(20ms));
    try {
      co_await session.run(slow);
      ADD_FAILURE() << "the statement was not cancelled";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::outcomeUnknown);
    }
    session.setDeadline(in(10s));
    const Result again = co_await session.run(own);
    EXPECT_EQ(again.only<std::int32_t>(), before.only<std::int32_t>());
    co_return again;
  });
  EXPECT_EQ(backend(), after.only<std::int32_t>());
}

TEST_F(DatabaseTransaction, AStalePlanIsReplacedForTheNextTransaction) {
  const Statement select{.name = "items", .sql = "SELECT * FROM item"};
  clients_.run([&] { return client_.run(select, in(10s)); });
  database_.execute("ALTER TABLE item ADD word text");
  const auto inTransaction = [&] {
    return clients_.run([&]() -> Task<Result> {
      Transaction transaction = co_await client_.begin(in(10s));
      co_return co_await transaction.run(select);
    });
  };
  EXPECT_EQ(errorOf(inTransaction).sqlState(), "0A000");
  EXPECT_EQ(inTransaction().columns(), 2);
}

}  // namespace
}  // namespace auth_errors::tests
