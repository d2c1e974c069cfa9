// Fixture with a dedicated database and a loop for clients. Clients created here are closed on
// their loop before it stops.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "tests/support/loop_runner.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

inline database::Deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

// Clients on a dedicated loop.
class ClientLoop {
 public:
  ClientLoop() = default;
  ~ClientLoop() { closeAll(); }
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;
  ClientLoop(ClientLoop&&) = delete;
  ClientLoop& operator=(ClientLoop&&) = delete;

  [[nodiscard]] trantor::EventLoop& loop() { return thread_.loop(); }

  database::Client& connect(database::ClientOptions options) {
    callOn(loop(), [this, &options] {
      clients_.push_back(std::make_unique<database::Client>(loop(), std::move(options)));
    });
    return *clients_.back();
  }
  void closeAll() {
    callOn(loop(), [this] { clients_.clear(); });
  }

  template <typename MakeTask>
  TaskValue<MakeTask> run(MakeTask makeTask, std::chrono::milliseconds limit = kWaitLimit) {
    return runOn(loop(), std::move(makeTask), limit);
  }
  template <typename MakeTask>
  std::future<TaskValue<MakeTask>> start(MakeTask makeTask) {
    return startOn(loop(), std::move(makeTask));
  }

  // Runs one unprepared statement.
  template <typename... Values>
  database::Result query(database::Client& client, const std::string& sql,
                         const Values&... values) {
    return queryWithin(std::chrono::seconds(10), client, sql, values...);
  }
  template <typename... Values>
  database::Result queryWithin(std::chrono::milliseconds time, database::Client& client,
                               const std::string& sql, const Values&... values) {
    return run([&]() -> drogon::Task<database::Result> {
      return client.run(database::Statement{.name = "", .sql = sql}, in(time), values...);
    });
  }

 private:
  LoopThread thread_;
  std::vector<std::unique_ptr<database::Client>> clients_;
};

class DatabaseTest : public testing::Test {
 protected:
  explicit DatabaseTest(Contents contents = Contents::migrated) : database_(contents) {}

  [[nodiscard]] database::ClientOptions options(std::size_t connections = 1) const {
    return {.url = database_.url(), .applicationName = "database-test", .connections = connections};
  }
  database::Client& connect(std::size_t connections = 1) {
    return clients_.connect(options(connections));
  }

  TestDatabase database_;
  ClientLoop clients_;
};

// The Error that the function throws; fails the test if it throws none.
template <typename Function>
database::Error errorOf(Function function) {
  try {
    function();
  } catch (const database::Error& error) {
    return error;
  }
  ADD_FAILURE() << "no database error was thrown";
  return {database::Failure::unavailable, "none"};
}

}  // namespace auth_errors::tests
