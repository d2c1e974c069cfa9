#include "platform/database/answer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/telemetry/log.h"
#include "tests/support/database_fixture.h"
#include "tests/support/file_descriptor.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::ClientOptions;
using database::Deadline;
using database::Error;
using database::Statement;
using database::Transaction;
using domain::Outage;
using drogon::Task;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

enum class ItemRefusal : std::uint8_t { unwanted, exists };
using Answer = domain::Answer<int, ItemRefusal>;

constexpr std::string_view kEvent = "items.failed";

const Statement kInsertItem{.name = "insert", .sql = "INSERT INTO item VALUES ($1)"};
const Statement kSleepLong{.name = "sleep", .sql = "SELECT pg_sleep(30)"};

class DatabaseAnswer : public DatabaseTest {
 protected:
  DatabaseAnswer() : DatabaseTest(Contents::nothing) {
    database_.execute("CREATE TABLE item (id int PRIMARY KEY)");
    clients_.query(client_, "SELECT 1");  // connected
  }

  std::vector<TextRow> items() { return database_.queryText("SELECT id FROM item ORDER BY id"); }

  Client& client_ = connect();
};

class Transact : public DatabaseAnswer {
 protected:
  using Step = std::function<Task<Answer>(Transaction&)>;

  Answer act(Step action, std::chrono::milliseconds time = 10s, bool searches = false) {
    return clients_.run([&]() -> Task<Answer> {
      return database::transact(
          {.client = client_, .deadline = in(time), .event = kEvent, .searches = searches},
          std::move(action));
    });
  }

  static Task<void> insert(Transaction& transaction, std::int32_t id) {
    co_await transaction.run(kInsertItem, id);
  }
  static Task<void> fail(Transaction& transaction, std::string sqlState) {
    co_await transaction.script("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + sqlState +
                                "'; END $$");
  }
  static Task<Answer> insertAndSleep(Transaction& transaction) {
    co_await insert(transaction, 1);
    co_await transaction.run(kSleepLong);
    co_return 1;
  }
  static Task<Answer> insertOne(Transaction& transaction) {
    co_await insert(transaction, 1);
    co_return 1;
  }

  void makeCommitsSlow() {
    database_.execute(R"(
      CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait_long())");
  }
};

TEST_F(Transact, CommitsAnAnsweredTransaction) {
  EXPECT_EQ(act([](Transaction& transaction) -> Task<Answer> {
              co_await insert(transaction, 1);
              co_return 7;
            }),
            7);
  EXPECT_THAT(items(), ElementsAre(Row(1)));
}

TEST_F(Transact, RollsBackARefusedTransaction) {
  const Answer answer = act([](Transaction& transaction) -> Task<Answer> {
    co_await insert(transaction, 1);
    co_return std::unexpected(ItemRefusal::unwanted);
  });
  EXPECT_EQ(answer.error(), ItemRefusal::unwanted);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, RollsBackWhenTheActionReportsARefusal) {
  const Answer answer = act([](Transaction& transaction) -> Task<Answer> {
    try {
      co_await insert(transaction, 1);
      co_await insert(transaction, 1);
      co_return 1;
    } catch (const Error& error) {
      if (error.constraint() == "item_pkey") {
        co_return std::unexpected(ItemRefusal::exists);
      }
      throw;
    }
  });
  EXPECT_EQ(answer.error(), ItemRefusal::exists);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, RetriesAfterASerializationConflict) {
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
    EXPECT_THAT(items(), ElementsAre(Row(database::kTransactAttempts)))
        << "only the last attempt commits";
  }
}

TEST_F(Transact, GivesUpAfterItsAttempts) {
  int runs = 0;
  const Answer answer = act([&](Transaction& transaction) -> Task<Answer> {
    co_await insert(transaction, ++runs);
    co_await fail(transaction, "40P01");
    co_return runs;
  });
  EXPECT_EQ(answer.error(), Outage::unavailable);
  EXPECT_EQ(runs, database::kTransactAttempts);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, DoesNotRetryARefusedStatement) {
  int runs = 0;
  const Answer answer = act([&](Transaction& transaction) -> Task<Answer> {
    ++runs;
    co_await insert(transaction, 1);
    co_await insert(transaction, 1);
    co_return runs;
  });
  EXPECT_EQ(answer.error(), Outage::unavailable);
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, AppliesItsDeadlineToTheTransaction) {
  const Deadline deadline = in(10s);
  const Answer answer = clients_.run([&]() -> Task<Answer> {
    return database::transact({.client = client_, .deadline = deadline, .event = kEvent},
                              [deadline](Transaction& transaction) -> Task<Answer> {
                                EXPECT_EQ(transaction.deadline(), deadline);
                                return insertOne(transaction);
                              });
  });
  EXPECT_EQ(answer, 1);
}

TEST_F(Transact, IsUnavailableUntilTheCommitIsSent) {
  EXPECT_EQ(act(insertAndSleep, 300ms).error(), Outage::unavailable);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, IsTooSlowForASearchUntilTheCommitIsSent) {
  EXPECT_EQ(act(insertAndSleep, 300ms, true).error(), Outage::tooSlow);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(Transact, ReportsAnUnknownOutcomeWhenTheCommitGetsNoAnswer) {
  makeCommitsSlow();
  EXPECT_EQ(act(insertOne, 500ms).error(), Outage::outcomeUnknown);
}

TEST_F(Transact, ReportsAnUnknownOutcomeForASearchsCommitToo) {
  makeCommitsSlow();
  EXPECT_EQ(act(insertOne, 500ms, true).error(), Outage::outcomeUnknown);
}

struct Terms {
  bool searches = false;
  std::chrono::milliseconds time = 10s;
};

class ReadAndWrite : public DatabaseAnswer {
 protected:
  using Action = std::function<Task<Answer>(Deadline)>;

  Answer read(Client& client, const Action& action, Terms terms = {}) {
    return clients_.run([&]() -> Task<Answer> {
      const Deadline deadline = in(terms.time);
      co_return co_await database::read(
          {.client = client, .deadline = deadline, .event = kEvent, .searches = terms.searches},
          [&] { return action(deadline); });
    });
  }
  Answer write(Client& client, const Action& action, Terms terms = {}) {
    return clients_.run([&]() -> Task<Answer> {
      const Deadline deadline = in(terms.time);
      co_return co_await database::write(
          {.client = client, .deadline = deadline, .event = kEvent, .searches = terms.searches},
          [&] { return action(deadline); });
    });
  }

  static Action running(Client& client, Statement statement) {
    return [&client, statement = std::move(statement)](Deadline deadline) -> Task<Answer> {
      const database::Result result = co_await client.run(statement, deadline);
      co_return static_cast<int>(result.affectedRows());
    };
  }

  Client& connectWithStatementTimeout(std::chrono::milliseconds time) {
    ClientOptions options = this->options();
    options.statementTimeout = time;
    return clients_.connect(options);
  }
  Client& connectToUnreachableServer() {
    ClientOptions options = this->options();
    options.url = "postgresql://postgres@127.0.0.1:1/none";
    return clients_.connect(options);
  }
};

TEST_F(ReadAndWrite, ReturnTheAnswerOfTheAction) {
  const Action answers = running(client_, {.name = "", .sql = "INSERT INTO item VALUES (1), (2)"});
  EXPECT_EQ(write(client_, answers), 2);
  EXPECT_THAT(items(), ElementsAre(Row(1), Row(2)));
  const Action refuses = [](Deadline /*deadline*/) -> Task<Answer> {
    co_return std::unexpected(ItemRefusal::unwanted);
  };
  EXPECT_EQ(read(client_, refuses).error(), ItemRefusal::unwanted);
  EXPECT_EQ(write(client_, refuses).error(), ItemRefusal::unwanted);
}

TEST_F(ReadAndWrite, AreUnavailableDuringAnOutageEvenForASearch) {
  Client& away = connectToUnreachableServer();
  const Action reads = running(away, {.name = "", .sql = "SELECT 1"});
  for (const bool searches : {false, true}) {
    const Terms terms{.searches = searches, .time = 100ms};
    EXPECT_EQ(read(away, reads, terms).error(), Outage::unavailable);
    EXPECT_EQ(write(away, reads, terms).error(), Outage::unavailable);
  }
}

TEST_F(ReadAndWrite, AreUnavailableAfterARefusedStatementEvenForASearch) {
  const Action fails = running(client_, {.name = "", .sql = "SELECT 1/0"});
  for (const bool searches : {false, true}) {
    EXPECT_EQ(read(client_, fails, {.searches = searches}).error(), Outage::unavailable);
    EXPECT_EQ(write(client_, fails, {.searches = searches}).error(), Outage::unavailable);
  }
}

TEST_F(ReadAndWrite, AreTooSlowOnlyForASearch) {
  const Action sleeps = running(client_, kSleepLong);
  EXPECT_EQ(read(client_, sleeps, {.searches = false, .time = 200ms}).error(), Outage::unavailable);
  EXPECT_EQ(read(client_, sleeps, {.searches = true, .time = 200ms}).error(), Outage::tooSlow);
}

TEST_F(ReadAndWrite, AreTooSlowWhenTheServerCancelsASearch) {
  Client& hurried = connectWithStatementTimeout(100ms);
  const Action sleeps = running(hurried, kSleepLong);
  EXPECT_EQ(read(hurried, sleeps, {.searches = false}).error(), Outage::unavailable);
  EXPECT_EQ(read(hurried, sleeps, {.searches = true}).error(), Outage::tooSlow);
  EXPECT_EQ(write(hurried, sleeps, {.searches = true}).error(), Outage::tooSlow)
      << "the statement was cancelled, so nothing was done";
}

TEST_F(ReadAndWrite, ALostReadIsUnavailable) {
  const Action dies = running(
      client_, {.name = "", .sql = "SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)"});
  EXPECT_EQ(read(client_, dies).error(), Outage::unavailable);
  EXPECT_EQ(write(client_, dies).error(), Outage::outcomeUnknown)
      << "the same fault during a write";
}

TEST_F(ReadAndWrite, ALostWriteHasAnUnknownOutcome) {
  const Action sleeps =
      running(client_, {.name = "", .sql = "INSERT INTO item SELECT 1 FROM pg_sleep(30)"});
  for (const bool searches : {false, true}) {
    EXPECT_EQ(write(client_, sleeps, {.searches = searches, .time = 500ms}).error(),
              Outage::outcomeUnknown);
  }
}

TEST_F(ReadAndWrite, AWriteThatWasNotSentIsUnavailable) {
  const auto held = clients_.run([this] { return client_.begin(in(10s)); });
  const Action inserts = running(client_, {.name = "", .sql = "INSERT INTO item VALUES (1)"});
  EXPECT_EQ(write(client_, inserts, {.searches = false, .time = 100ms}).error(),
            Outage::unavailable);
  EXPECT_THAT(items(), IsEmpty());
}

TEST_F(ReadAndWrite, LogTheirFailuresUnderTheirEvent) {
  const FileDescriptor file(::memfd_create("log", MFD_CLOEXEC));
  ASSERT_TRUE(file.valid());
  telemetry::configureLog(telemetry::LogLevel::warn, telemetry::LogFormat::json, file.get());
  EXPECT_FALSE(read(client_, running(client_, {.name = "", .sql = "SELECT 1/0"})));
  EXPECT_FALSE(
      write(client_, running(client_, {.name = "", .sql = "SELECT 1/0"}), {.searches = true}));
  EXPECT_FALSE(read(client_, running(client_, kSleepLong), {.searches = true, .time = 200ms}));
  telemetry::configureLog(telemetry::LogLevel::info, telemetry::LogFormat::json);

  std::string text(telemetry::kMaxLogLineBytes, '\0');
  text.resize(static_cast<std::size_t>(::pread(file.get(), text.data(), text.size(), 0)));
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.contains(R"("event":"items.failed")")) {
      lines.push_back(line);
    }
  }
  EXPECT_THAT(lines,
              ElementsAre(AllOf(HasSubstr("division by zero"), Not(HasSubstr("tooSlow"))),
                          AllOf(HasSubstr("division by zero"), HasSubstr(R"("tooSlow":false)")),
                          HasSubstr(R"("tooSlow":true)")));
}

TEST_F(ReadAndWrite, PropagateProgrammingErrors) {
  const Action mistaken = [this](Deadline deadline) -> Task<Answer> {
    const database::Result result = co_await client_.run({.name = "", .sql = "SELECT 1"}, deadline);
    co_return static_cast<int>(result.only<bool>());
  };
  EXPECT_THROW((void)read(client_, mistaken).has_value(), database::ResultMismatch);
  EXPECT_THROW((void)write(client_, mistaken).has_value(), database::ResultMismatch);
}

}  // namespace
}  // namespace auth_errors::tests
