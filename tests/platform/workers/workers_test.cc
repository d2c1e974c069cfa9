// The building blocks of background work, on a real event loop.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "platform/workers/pending.h"
#include "platform/workers/signal.h"
#include "platform/workers/slice_turns.h"
#include "platform/workers/worker.h"
#include "tests/support/loop_runner.h"

namespace auth_errors::workers {
namespace {

using namespace std::chrono_literals;
using tests::callOn;
using tests::eventually;
using tests::kWaitLimit;
using tests::runOn;
using tests::startOn;

class WorkersTest : public ::testing::Test {
 protected:
  // Returns once everything queued in the loop so far has run.
  void turn() {
    callOn(thread_.loop(), [] {});
  }

  tests::LoopThread thread_;
  trantor::EventLoop& loop_ = thread_.loop();
  Signal signal_{loop_};
};

class SignalTest : public WorkersTest {
 protected:
  std::future<void> startWait(std::chrono::duration<double> longest = 60s) {
    auto waiting =
        startOn(loop_, [this, longest]() -> drogon::Task<> { co_await signal_.wait(longest); });
    turn();
    return waiting;
  }
};

TEST_F(SignalTest, WakesWaitersInOrderOfArrival) {
  auto first = startWait();
  auto second = startWait();
  EXPECT_TRUE(callOn(loop_, [this] { return signal_.notifyOne(); }));
  tests::await(std::move(first), kWaitLimit);
  EXPECT_EQ(second.wait_for(0s), std::future_status::timeout);
  EXPECT_TRUE(callOn(loop_, [this] { return signal_.notifyOne(); }));
  tests::await(std::move(second), kWaitLimit);
}

TEST_F(SignalTest, WakesAllWaiters) {
  auto first = startWait();
  auto second = startWait();
  callOn(loop_, [this] { signal_.notifyAll(); });
  tests::await(std::move(first), kWaitLimit);
  tests::await(std::move(second), kWaitLimit);
}

TEST_F(SignalTest, ReportsThatNobodyWaits) {
  EXPECT_FALSE(callOn(loop_, [this] { return signal_.notifyOne(); }));
  auto waiting = startWait();
  EXPECT_TRUE(callOn(loop_, [this] { return signal_.notifyOne(); }));
  EXPECT_FALSE(callOn(loop_, [this] { return signal_.notifyOne(); }));
  tests::await(std::move(waiting), kWaitLimit);
}

TEST_F(SignalTest, EndsAWaitAfterItsTimeout) {
  tests::await(startWait(5ms), kWaitLimit);
  EXPECT_FALSE(callOn(loop_, [this] { return signal_.notifyOne(); }));
}

// The timer of a wait that was woken must not end a later one.
TEST_F(SignalTest, CancelsTheTimerOfAWokenWait) {
  std::atomic<int> ended = 0;
  auto waiting = startOn(loop_, [&]() -> drogon::Task<> {
    co_await signal_.wait(20ms);
    ++ended;
    co_await signal_.wait(60s);
    ++ended;
  });
  turn();
  callOn(loop_, [this] { signal_.notifyAll(); });
  // A later and longer timer is due after the cancelled one.
  runOn(loop_, [this]() -> drogon::Task<> {
    Signal later(loop_);
    co_await later.wait(60ms);
  });
  EXPECT_EQ(ended, 1);
  callOn(loop_, [this] { signal_.notifyAll(); });
  tests::await(std::move(waiting), kWaitLimit);
}

TEST_F(SignalTest, LetsTheNotifierFinishFirst) {
  bool notified = false;
  bool seen = false;
  auto waiting = startOn(loop_, [&]() -> drogon::Task<> {
    co_await signal_.wait(60s);
    seen = notified;
  });
  turn();
  callOn(loop_, [&] {
    signal_.notifyAll();
    notified = true;
  });
  tests::await(std::move(waiting), kWaitLimit);
  EXPECT_TRUE(seen);
}

class PendingTest : public WorkersTest {
 protected:
  std::future<void> startWait() {
    auto waiting = startOn(loop_, [this]() -> drogon::Task<> { co_await Answered(pending_); });
    turn();
    return waiting;
  }

  std::shared_ptr<Deadlines> deadlines_ = std::make_shared<Deadlines>(loop_);
  std::shared_ptr<Pending> pending_ = std::make_shared<Pending>(loop_);
};

TEST_F(PendingTest, CompletesOnceAndLetsTheCompleterFinishFirst) {
  bool answered = false;
  bool seen = false;
  auto waiting = startOn(loop_, [&]() -> drogon::Task<> {
    co_await Answered(pending_);
    seen = answered;
  });
  turn();
  callOn(loop_, [&] {
    pending_->complete();
    pending_->complete();
    answered = true;
  });
  tests::await(std::move(waiting), kWaitLimit);
  EXPECT_TRUE(seen);
}

TEST_F(PendingTest, DoesNotSuspendIfAlreadyComplete) {
  callOn(loop_, [this] { pending_->complete(); });
  tests::await(startWait(), kWaitLimit);
}

TEST_F(PendingTest, EndsByItsDeadlineEvenIfAnEarlierOneWasSetLater) {
  auto later = std::make_shared<Pending>(loop_);
  callOn(loop_, [&] {
    later->startClock(deadlines_, std::chrono::steady_clock::now() + 1h);
    pending_->startClock(deadlines_, std::chrono::steady_clock::now() + 5ms);
  });
  tests::await(startWait(), kWaitLimit);
  EXPECT_FALSE(callOn(loop_, [&] { return later->done(); }));
}

TEST_F(PendingTest, MayWaitForEver) {
  callOn(loop_, [this] {
    pending_->startClock(deadlines_, std::chrono::steady_clock::time_point::max());
  });
  auto waiting = startWait();
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  callOn(loop_, [this] { pending_->complete(); });
  tests::await(std::move(waiting), kWaitLimit);
}

// Destroyed with its waiter, while its deadline is still queued.
TEST_F(PendingTest, MayBeDestroyedBeforeItsDeadline) {
  auto other = std::make_shared<Pending>(loop_);
  callOn(loop_, [&] {
    const auto soon = std::chrono::steady_clock::now() + 5ms;
    pending_->startClock(deadlines_, soon);
    pending_.reset();
    other->startClock(deadlines_, soon + 1ms);
  });
  runOn(loop_, [other]() -> drogon::Task<> { co_await Answered(other); });
  EXPECT_TRUE(callOn(loop_, [&] { return other->done(); }));
}

// A worker that does what the test says.
class ScriptedWorker final : public Worker {
 public:
  using Script = std::function<drogon::Task<Then>()>;

  ScriptedWorker(trantor::EventLoop& loop, WorkerOptions options, Script script)
      : Worker(loop, std::move(options), std::move(script)) {}

  using Worker::finishRuns;
  using Worker::restAfter;
};

class WorkerTest : public WorkersTest {
 protected:
  // A worker whose runs are counted and end in this way.
  ScriptedWorker counting(WorkerOptions options, Then then = Then::wait) {
    return {loop_, std::move(options), [this, then]() -> drogon::Task<Then> {
              ++runs_;
              co_return then;
            }};
  }
  void start(Worker& worker) {
    callOn(loop_, [&worker] { worker.start(); });
  }
  bool stop(Worker& worker, std::chrono::milliseconds time = 20s) {
    return runOn(loop_,
                 [&worker, time] { return worker.stop(std::chrono::steady_clock::now() + time); });
  }

  std::atomic<int> runs_ = 0;
};

TEST_F(WorkerTest, RunsAtOnceAndThenAgainAndAgain) {
  ScriptedWorker seldom = counting({.faultEvent = "test.failed", .interval = 1h});
  start(seldom);
  EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
  EXPECT_TRUE(stop(seldom));

  ScriptedWorker often = counting({.faultEvent = "test.failed", .interval = 2ms});
  start(often);
  EXPECT_TRUE(eventually([&] { return runs_ > 5; }));
  EXPECT_TRUE(stop(often));
}

TEST_F(WorkerTest, RunsAgainAtOnceWhileThereIsMore) {
  ScriptedWorker worker(loop_, {.faultEvent = "test.failed"}, [&]() -> drogon::Task<Then> {
    co_await signal_.wait(1ms);
    co_return ++runs_ < 5 ? Then::again : Then::wait;
  });
  start(worker);
  EXPECT_TRUE(eventually([&] { return runs_ == 5; }));
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, EndsByItself) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed", .interval = 1ms}, Then::end);
  start(worker);
  EXPECT_TRUE(stop(worker));
  EXPECT_EQ(runs_, 1);
}

TEST_F(WorkerTest, RunsWhenItIsWoken) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed"});
  start(worker);
  for (int runs = 1; runs < 4; ++runs) {
    EXPECT_TRUE(eventually([&] { return runs_ == runs; }));
    worker.wake();
  }
  EXPECT_TRUE(eventually([&] { return runs_ == 4; }));
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, RunsOnceMoreIfItIsWokenDuringARun) {
  ScriptedWorker worker(loop_, {.faultEvent = "test.failed"}, [&]() -> drogon::Task<Then> {
    ++runs_;
    co_await signal_.wait();
    co_return Then::wait;
  });
  start(worker);
  worker.wake();
  worker.wake();
  turn();
  turn();
  EXPECT_EQ(runs_, 1);
  callOn(loop_, [this] { signal_.notifyAll(); });
  EXPECT_TRUE(eventually([&] { return runs_ == 2; }));
  callOn(loop_, [this] { signal_.notifyAll(); });
  turn();
  turn();
  EXPECT_EQ(runs_, 2);
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, WakesOneLaneAtATime) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed", .lanes = 3});
  start(worker);
  EXPECT_TRUE(eventually([&] { return runs_ == 3; }));
  worker.wake();
  EXPECT_TRUE(eventually([&] { return runs_ == 4; }));
  turn();
  EXPECT_EQ(runs_, 4);
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, GoesOnAfterARunThatThrew) {
  ScriptedWorker worker(loop_,
                        {.faultEvent = "test.failed",
                         .interval = 1h,
                         .afterFailures = Pauses{.shortest = 1ms, .longest = 2ms}},
                        [&]() -> drogon::Task<Then> {
                          ++runs_;
                          throw std::runtime_error("as expected by the test");
                          co_return Then::wait;
                        });
  start(worker);
  EXPECT_TRUE(eventually([&] { return runs_ > 3; }));
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, StopsAtOnceBetweenTwoRuns) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed", .interval = 1h});
  start(worker);
  EXPECT_TRUE(eventually([&] { return runs_ == 1; }));
  EXPECT_TRUE(stop(worker));
  EXPECT_EQ(runs_, 1);
}

TEST_F(WorkerTest, StopsOnlyAfterTheCurrentRun) {
  std::atomic<bool> ended = false;
  ScriptedWorker worker(loop_, {.faultEvent = "test.failed"}, [&]() -> drogon::Task<Then> {
    ++runs_;
    co_await signal_.wait();
    ended = true;
    co_return Then::wait;
  });
  start(worker);
  ASSERT_TRUE(eventually([&] { return runs_ == 1; }));
  EXPECT_FALSE(stop(worker, 5ms)) << "the run takes longer";
  EXPECT_FALSE(
      runOn(loop_, [&] { return worker.finishRuns(std::chrono::steady_clock::now() + 5ms); }));
  auto stopping = startOn(loop_, [&] { return worker.stop(Worker::Deadline::max()); });
  turn();
  EXPECT_EQ(stopping.wait_for(0s), std::future_status::timeout);
  callOn(loop_, [this] { signal_.notifyAll(); });
  EXPECT_TRUE(tests::await(std::move(stopping), kWaitLimit));
  EXPECT_TRUE(ended);
}

TEST_F(WorkerTest, CutsTheRestOfALongRunShortWhenItStops) {
  ScriptedWorker* self = nullptr;
  ScriptedWorker worker(loop_, {.faultEvent = "test.failed"}, [&]() -> drogon::Task<Then> {
    ++runs_;
    co_await self->restAfter(std::chrono::steady_clock::now() - 1h);
    co_return Then::again;
  });
  self = &worker;
  start(worker);
  ASSERT_TRUE(eventually([&] { return runs_ == 1; }));
  EXPECT_TRUE(stop(worker));
  EXPECT_EQ(runs_, 1);
}

TEST_F(WorkerTest, RunsOnceHoweverOftenItIsStarted) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed", .interval = 1h});
  start(worker);
  start(worker);
  turn();
  EXPECT_EQ(runs_, 1);
  EXPECT_TRUE(stop(worker));
}

TEST_F(WorkerTest, MayBeDestroyedAfterAWakeUpThatIsStillQueued) {
  auto worker = std::make_unique<ScriptedWorker>(loop_, WorkerOptions{.faultEvent = "test.failed"},
                                                 [this]() -> drogon::Task<Then> {
                                                   ++runs_;
                                                   co_return Then::wait;
                                                 });
  callOn(loop_, [&worker] {
    worker->wake();
    worker.reset();
  });
  callOn(loop_, [] {});
  EXPECT_EQ(runs_, 0);
}

TEST_F(WorkerTest, StopsWithoutHavingStarted) {
  ScriptedWorker worker = counting({.faultEvent = "test.failed", .interval = 1h});
  EXPECT_TRUE(stop(worker));
}

// Three tasks with three slices each.
TEST_F(WorkersTest, RunsOneSlicePerTaskInTurn) {
  auto turns = callOn(loop_, [this] { return std::make_unique<SliceTurns>(loop_); });
  std::string order;
  const auto work = [&](char name) {
    return startOn(loop_, [&, name]() -> drogon::Task<> {
      for (int slice = 0; slice < 3; ++slice) {
        co_await turns->next();
        order += name;
      }
    });
  };
  std::promise<void> gate;
  loop_.queueInLoop([opened = gate.get_future().share()] { opened.wait(); });
  std::vector<std::future<void>> working;
  for (const char name : {'a', 'b', 'c'}) {
    working.push_back(work(name));
  }
  gate.set_value();
  for (auto& future : working) {
    tests::await(std::move(future), kWaitLimit);
  }
  EXPECT_EQ(order, "abcabcabc");
  callOn(loop_, [&] { turns.reset(); });
}

TEST_F(WorkersTest, PausesBetweenSlicesWhileShortWorkArrives) {
  auto turns = callOn(loop_, [this] { return std::make_unique<SliceTurns>(loop_); });
  std::vector<std::chrono::steady_clock::time_point> begun;
  std::vector<std::chrono::steady_clock::time_point> ended;
  tests::await(startOn(loop_,
                       [&]() -> drogon::Task<> {
                         for (int slice = 0; slice < 4; ++slice) {
                           co_await turns->next();
                           begun.push_back(std::chrono::steady_clock::now());
                           std::this_thread::sleep_for(5ms);
                           turns->letPass();
                           ended.push_back(std::chrono::steady_clock::now());
                         }
                       }),
               kWaitLimit);
  for (std::size_t slice = 1; slice < begun.size(); ++slice) {
    EXPECT_GE(begun.at(slice) - ended.at(slice - 1), 20ms) << slice;
  }
  callOn(loop_, [&] { turns.reset(); });
}

TEST_F(WorkersTest, RunsOneTurnPerIterationOfTheLoop) {
  auto turns = callOn(loop_, [this] { return std::make_unique<SliceTurns>(loop_); });
  // A task queued by one turn runs before the next turn.
  std::string order;
  const auto work = [&](char name) {
    return startOn(loop_, [&, name]() -> drogon::Task<> {
      co_await turns->next();
      order += name;
      loop_.queueInLoop([&order] { order += '.'; });
    });
  };
  auto first = work('a');
  auto second = work('b');
  auto third = work('c');
  for (auto* future : {&first, &second, &third}) {
    tests::await(std::move(*future), kWaitLimit);
  }
  turn();
  EXPECT_EQ(callOn(loop_, [&] { return order; }), "a.b.c.");
  callOn(loop_, [&] { turns.reset(); });
}

}  // namespace
}  // namespace auth_errors::workers
