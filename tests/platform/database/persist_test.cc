#include "platform/database/persist.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "platform/database/error.h"
#include "tests/support/loop_runner.h"

namespace auth_errors::tests {
namespace {

using database::Error;
using database::Failure;
using database::Persistence;
using drogon::Task;
using namespace std::chrono_literals;

Error away() { return {Failure::unavailable, "away"}; }
Error unanswered() { return {Failure::outcomeUnknown, "no answer"}; }
Error refused() { return {Failure::statement, "refused", "23505"}; }

class Persist : public testing::Test {
 protected:
  [[nodiscard]] Persistence quickly() {
    return {.stop = *stop_, .faults = faults_, .pauses = {.shortest = 1ms, .longest = 1ms}};
  }
  // `tryIt` gets the number of the attempt.
  int attempt(Persistence how, std::function<void(int)> tryIt) {
    return runOn(thread_.loop(), [&]() -> Task<int> {
      return database::persist(how, [&]() -> Task<int> {
        tryIt(++attempts_);
        co_return attempts_;
      });
    });
  }
  ~Persist() override {
    callOn(thread_.loop(), [this] { stop_.reset(); });
  }

  LoopThread thread_;
  std::unique_ptr<workers::StopSignal> stop_ =
      std::make_unique<workers::StopSignal>(thread_.loop());
  telemetry::FaultLog faults_{"test.away"};
  int attempts_ = 0;
};

TEST_F(Persist, TriesAgainUntilTheDatabaseIsBack) {
  const int succeeded = attempt(quickly(), [this](int number) {
    EXPECT_EQ(faults_.failing(), number > 1);
    if (number < 4) {
      throw away();
    }
  });
  EXPECT_EQ(succeeded, 4);
  EXPECT_FALSE(faults_.failing());
}

TEST_F(Persist, GivesUpOnWhatIsRefused) {
  EXPECT_THROW(attempt(quickly(), [](int) { throw refused(); }), Error);
  EXPECT_EQ(attempts_, 1);
  EXPECT_THROW(attempt(quickly(), [](int) { throw std::runtime_error("broken"); }),
               std::runtime_error);
  EXPECT_EQ(attempts_, 2);
}

TEST_F(Persist, GivesUpOnAStatementThatIsNeverAnswered) {
  Persistence how = quickly();
  how.maxUnanswered = 3;
  EXPECT_THROW(attempt(how, [](int) { throw unanswered(); }), Error);
  EXPECT_EQ(attempts_, 3);
}

TEST_F(Persist, TakesADatabaseThatIsAwayInBetweenForAnOutage) {
  Persistence how = quickly();
  how.maxUnanswered = 2;
  EXPECT_EQ(attempt(how,
                    [](int number) {
                      if (number < 6) {
                        throw number % 2 == 0 ? away() : unanswered();
                      }
                    }),
            6);
}

TEST_F(Persist, TriesAtLeastOnceAndNotAfterItsEnd) {
  Persistence how = quickly();
  how.end = std::chrono::steady_clock::now() - 1s;
  EXPECT_THROW(attempt(how, [](int) { throw away(); }), Error);
  EXPECT_EQ(attempts_, 1);
}

TEST_F(Persist, GivesWayToAStop) {
  Persistence how = quickly();
  how.pauses = {.shortest = 1h, .longest = 1h};
  EXPECT_THROW(attempt(how,
                       [this](int) {
                         thread_.loop().queueInLoop([this] { stop_->raise(); });
                         throw away();
                       }),
               workers::Stopped);
  EXPECT_THROW(attempt(how, [](int) { throw away(); }), workers::Stopped);
  EXPECT_EQ(attempts_, 2);
}

}  // namespace
}  // namespace auth_errors::tests
