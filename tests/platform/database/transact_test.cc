#include "platform/database/transact.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::Error;
using database::Parameters;
using database::Statement;
using database::Transaction;
using drogon::Task;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Answer = std::expected<int, std::string>;

const Statement kInsertItem{.name = "insert", .sql = "INSERT INTO item VALUES ($1)"};

class Transact : public DatabaseTest {
 protected:
  Transact() : DatabaseTest(Contents::nothing) {
    database_.execute("CREATE TABLE item (id int PRIMARY KEY)");
  }

  std::vector<TextRow> items() { return database_.queryText("SELECT id FROM item ORDER BY id"); }

  template <typename Action>
  Answer act(Action action, std::chrono::milliseconds time = 10s) {
    return clients_.run([&]() -> Task<Answer> {
      return database::transact(
          client_, action,
          [](const Error& error, bool lost) {
            return error.sqlState() + (lost ? " perhaps" : " surely not");
          },
          in(time));
    });
  }

  static Task<void> insert(Transaction& transaction, std::int32_t id) {
    co_await transaction.run(kInsertItem, Parameters().add(id), in(10s));
  }
  static Task<void> fail(Transaction& transaction, std::string sqlState) {
    co_await transaction.script(
        "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + sqlState + "'; END $$", in(10s));
  }

  Client& client_ = connect();
};

TEST_F(Transact, CommitsWhatIsAnswered) {
  EXPECT_EQ(act([](Transaction& transaction) -> Task<Answer> {
              co_await insert(transaction, 1);
              co_return 7;
            }),
            7);
  EXPECT_THAT(items(), ElementsAre(Row(1)));
}

TEST_F(Transact, RollsBackWhatIsRefused) {
  const Answer answer = act([](Transaction& transaction) -> Task<Answer> {
    co_await insert(transaction, 1);
    co_return std::unexpected("refused");
  });
  EXPECT_EQ(answer, Answer(std::unexpected("refused")));
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, RunsAgainWhatAnotherTransactionGotInTheWayOf) {
  for (const std::string conflict : {"40001", "40P01"}) {
    database_.execute("DELETE FROM item");
    int runs = 0;
    EXPECT_EQ(act([&](Transaction& transaction) -> Task<Answer> {
                co_await insert(transaction, ++runs);
                if (runs < database::kTransactAttempts) {
                  co_await fail(transaction, conflict);
                }
                co_return runs;
              }),
              database::kTransactAttempts)
        << conflict;
    EXPECT_THAT(items(), ElementsAre(Row(database::kTransactAttempts))) << "of the last run alone";
  }
}

TEST_F(Transact, GivesUpAfterItsAttempts) {
  int runs = 0;
  const Answer answer = act([&](Transaction& transaction) -> Task<Answer> {
    co_await insert(transaction, ++runs);
    co_await fail(transaction, "40P01");
    co_return runs;
  });
  EXPECT_EQ(answer, Answer(std::unexpected("40P01 surely not")));
  EXPECT_EQ(runs, database::kTransactAttempts);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, DoesNotRunAgainWhatTheServerRefuses) {
  int runs = 0;
  const Answer answer = act([&](Transaction& transaction) -> Task<Answer> {
    ++runs;
    co_await insert(transaction, 1);
    co_await insert(transaction, 1);
    co_return runs;
  });
  EXPECT_EQ(answer, Answer(std::unexpected("23505 surely not")));
  EXPECT_EQ(runs, 1);
}

TEST_F(Transact, KnowsThatNothingHappenedUntilTheCommitIsSent) {
  const Answer answer = act(
      [](Transaction& transaction) -> Task<Answer> {
        co_await insert(transaction, 1);
        co_await transaction.script("SELECT pg_sleep(30)", in(200ms));
        co_return 1;
      },
      10s);
  EXPECT_EQ(answer, Answer(std::unexpected(" surely not")));
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, DoesNotKnowWhatBecameOfACommitWithoutAnAnswer) {
  database_.execute(R"(
    CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait_long())");
  const Answer answer = act(
      [](Transaction& transaction) -> Task<Answer> {
        co_await insert(transaction, 1);
        co_return 1;
      },
      500ms);
  EXPECT_EQ(answer, Answer(std::unexpected(" perhaps")));
}

}  // namespace
}  // namespace auth_errors::tests
