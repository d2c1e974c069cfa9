#include "app/schema_watch.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/loop_runner.h"
#include "tests/support/project_paths.h"
#include "tests/support/test_database.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;
using tests::callOn;
using tests::eventually;

class SchemaWatchTest : public ::testing::Test {
 protected:
  SchemaWatchTest() {
    settings_.database.url = database_.url();
    settings_.database.migrations = tests::migrationsFolder();
    settings_.database.connectTimeout = 5s;
    settings_.database.statementTimeout = 30s;
    settings_.database.queueLimit = 16;
    settings_.database.migrateOnServe = true;
  }
  ~SchemaWatchTest() override {
    tests::runOn(thread_.loop(),
                 [this] { return watch_->stop(std::chrono::steady_clock::now() + 5s); });
    callOn(thread_.loop(), [this] { watch_.reset(); });
  }
  SchemaWatchTest(const SchemaWatchTest&) = delete;
  SchemaWatchTest& operator=(const SchemaWatchTest&) = delete;
  SchemaWatchTest(SchemaWatchTest&&) = delete;
  SchemaWatchTest& operator=(SchemaWatchTest&&) = delete;

  void start(std::function<void()> onCurrent) {
    callOn(thread_.loop(), [&] {
      watch_ = std::make_unique<SchemaWatch>(settings_, thread_.loop(), std::move(onCurrent));
      watch_->start();
    });
  }

  tests::TestDatabase database_{tests::Contents::nothing};
  Settings settings_;
  tests::LoopThread thread_;
  std::unique_ptr<SchemaWatch> watch_;
};

TEST_F(SchemaWatchTest, IsCurrentOnlyAfterItsCallbackReturned) {
  std::atomic<bool> tooEarly = false;
  start([&] { tooEarly = watch_->current(); });
  EXPECT_TRUE(eventually([&] { return watch_->current(); }));
  EXPECT_FALSE(tooEarly);
}

TEST_F(SchemaWatchTest, IsNotCurrentWhileItsCallbackFails) {
  std::atomic<int> calls = 0;
  std::atomic<bool> broken = true;
  start([&] {
    ++calls;
    if (broken) {
      throw std::runtime_error("not yet");
    }
  });
  EXPECT_TRUE(eventually([&] { return calls > 1; })) << "the callback must be retried";
  EXPECT_FALSE(watch_->current());
  broken = false;
  EXPECT_TRUE(eventually([&] { return watch_->current(); }));
}

}  // namespace
}  // namespace auth_errors::app
