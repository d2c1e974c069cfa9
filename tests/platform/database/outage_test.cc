// The server is killed repeatedly under load.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "tests/support/database_fixture.h"
#include "tests/support/postgres_server.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::Error;
using database::Failure;
using database::Statement;
using database::Transaction;
using drogon::Task;
using namespace std::chrono_literals;

constexpr int kKills = 4;
constexpr int kWriters = 32;
constexpr auto kPatience = 1500ms;
// How late a loop may be on a busy machine.
constexpr auto kSlack = 1500ms;

const Statement kInsertUnderLoad{.name = "insert", .sql = "INSERT INTO item VALUES ($1)"};
const Statement kInsertPair{.name = "insert_pair", .sql = "INSERT INTO item VALUES ($1), (-$1)"};

struct Tally {
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> next = 1;
  std::atomic<std::int64_t> acknowledged = 0;
  std::atomic<std::int64_t> unknown = 0;
  std::atomic<std::int64_t> unavailable = 0;
  std::atomic<std::int64_t> refused = 0;
  std::atomic<std::int64_t> late = 0;
  std::mutex mutex;
  std::set<std::int64_t> stored;
  std::set<std::int64_t> notStored;
};

Task<void> insertInTransaction(Client& client, std::int64_t id, database::Deadline deadline) {
  Transaction transaction = co_await client.begin(deadline);
  co_await transaction.run(kInsertPair, id);
  co_await transaction.commit();
}

// Suspends a coroutine on the loop without blocking its thread.
struct Pause {
  // NOLINTBEGIN(readability-identifier-naming): the language's own names
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    loop.runAfter(0.005, [waiter] { waiter.resume(); });
  }
  void await_resume() const {}
  // NOLINTEND(readability-identifier-naming)
  trantor::EventLoop& loop;
};

Task<void> write(Client& client, Tally& tally, bool inTransaction) {
  while (!tally.stop) {
    const std::int64_t id = tally.next++;
    const auto deadline = in(kPatience);
    bool failed = false;
    try {
      if (inTransaction) {
        co_await insertInTransaction(client, id, deadline);
      } else {
        co_await client.run(kInsertUnderLoad, deadline, id);
      }
      ++tally.acknowledged;
      const std::scoped_lock lock(tally.mutex);
      tally.stored.insert(id);
    } catch (const Error& error) {
      failed = true;
      switch (error.failure()) {
        case Failure::unavailable: {
          ++tally.unavailable;
          const std::scoped_lock lock(tally.mutex);
          tally.notStored.insert(id);
          break;
        }
        case Failure::outcomeUnknown:
          ++tally.unknown;
          break;
        case Failure::statement:
          ++tally.refused;
          ADD_FAILURE() << error.what();
      }
    }
    if (std::chrono::steady_clock::now() > deadline + kSlack) {
      ++tally.late;
    }
    if (failed) {
      co_await Pause{client.loop()};
    }
  }
}

TEST(DatabaseOutage, EveryCallEndsAndEveryKillIsRecoveredFrom) {
  PostgresServer server;
  PlainConnection(server.url()).execute("CREATE TABLE item (id int8)");
  Tally tally;
  {
    ClientLoop clients;
    Client& client = clients.connect({.url = server.url(), .connections = 4});
    std::vector<std::future<void>> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.push_back(clients.start(
          [&client, &tally, writer] { return write(client, tally, writer % 4 == 0); }));
    }
    const auto makesProgress = [&tally] {
      const std::int64_t before = tally.acknowledged;
      return eventually([&] { return tally.acknowledged > before + 200; }, 20s);
    };
    ASSERT_TRUE(makesProgress());
    for (int kill = 0; kill < kKills; ++kill) {
      const std::int64_t failures = tally.unknown + tally.unavailable;
      server.kill(kill % 2 == 0 ? SIGQUIT : SIGKILL);
      ASSERT_TRUE(eventually([&] { return tally.unknown + tally.unavailable > failures; }, 10s))
          << "the fault had no effect";
      ASSERT_TRUE(eventually([&] { return !client.connected(); }, 10s));
      server.start();
      ASSERT_TRUE(makesProgress()) << "after kill " << kill;
    }
    tally.stop = true;
    for (auto& writer : writers) {
      await(std::move(writer), kPatience + kSlack + 5s);
    }
  }
  EXPECT_EQ(tally.late, 0);
  EXPECT_GT(tally.unknown, 0) << "no call was in flight when the server died";
  RecordProperty("acknowledged", std::to_string(tally.acknowledged));
  RecordProperty("unknown", std::to_string(tally.unknown));
  RecordProperty("unavailable", std::to_string(tally.unavailable));

  std::multiset<std::int64_t> rows;
  PlainConnection check(server.url());
  for (const auto& row : check.queryText("SELECT id FROM item WHERE id > 0")) {
    rows.insert(std::stoll(row.front().value()));
  }
  for (const std::int64_t id : tally.stored) {
    EXPECT_EQ(rows.count(id), 1) << "acknowledged: " << id;
  }
  for (const std::int64_t id : tally.notStored) {
    EXPECT_EQ(rows.count(id), 0) << "reported as not executed: " << id;
  }
  // Each pair was written by one statement of one transaction.
  EXPECT_EQ(check.queryValue("SELECT count(*) FROM item a WHERE a.id < 0 AND NOT EXISTS "
                             "(SELECT FROM item b WHERE b.id = -a.id)"),
            "0");
}

TEST(DatabaseOutage, AClientMayStartBeforeItsServer) {
  PostgresServer server;
  server.kill(SIGQUIT);
  ClientLoop clients;
  Client& client = clients.connect({.url = server.url(), .failFastAfter = 60s});
  auto early =
      clients.start([&client] { return client.run({.name = "", .sql = "SELECT 1"}, in(30s)); });
  server.start();
  EXPECT_EQ(await(std::move(early), 30s).rows(), 1);
}

}  // namespace
}  // namespace auth_errors::tests
