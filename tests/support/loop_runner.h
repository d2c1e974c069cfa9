// Runs coroutines and functions on an event loop's thread from the test's thread, and waits with a
// timeout. A timeout throws, so that the test fails instead of hanging.
#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/EventLoopThread.h>

namespace auth_errors::tests {

inline constexpr std::chrono::seconds kWaitLimit{30};

template <typename T>
T await(std::future<T> future, std::chrono::milliseconds limit) {
  if (future.wait_for(limit) != std::future_status::ready) {
    throw std::runtime_error("timed out after " + std::to_string(limit.count()) + " ms");
  }
  return future.get();
}

template <typename MakeTask>
using TaskValue = drogon::await_result_t<std::invoke_result_t<MakeTask&>>;

template <typename MakeTask>
drogon::AsyncTask drive(MakeTask makeTask,
                        std::shared_ptr<std::promise<TaskValue<MakeTask>>> promise) {
  try {
    if constexpr (std::is_void_v<TaskValue<MakeTask>>) {
      co_await makeTask();
      promise->set_value();
    } else {
      promise->set_value(co_await makeTask());
    }
  } catch (...) {
    promise->set_exception(std::current_exception());
  }
}

// Starts the task returned by makeTask() on the loop; the future gets its value or exception.
template <typename MakeTask>
std::future<TaskValue<MakeTask>> startOn(trantor::EventLoop& loop, MakeTask makeTask) {
  auto promise = std::make_shared<std::promise<TaskValue<MakeTask>>>();
  auto future = promise->get_future();
  loop.queueInLoop(
      [promise = std::move(promise), makeTask = std::move(makeTask)] { drive(makeTask, promise); });
  return future;
}

template <typename MakeTask>
TaskValue<MakeTask> runOn(trantor::EventLoop& loop, MakeTask makeTask,
                          std::chrono::milliseconds limit = kWaitLimit) {
  return await(startOn(loop, std::move(makeTask)), limit);
}

// Calls a plain function on the loop's thread.
template <typename Function>
std::invoke_result_t<Function&> callOn(trantor::EventLoop& loop, Function function,
                                       std::chrono::milliseconds limit = kWaitLimit) {
  using Value = std::invoke_result_t<Function&>;
  auto task = std::make_shared<std::packaged_task<Value()>>(std::move(function));
  auto future = task->get_future();
  loop.queueInLoop([task = std::move(task)] { (*task)(); });
  return await(std::move(future), limit);
}

// Polls a condition that has no signal to wait for. Returns false on a timeout.
template <std::predicate Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = kWaitLimit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// An event loop on a dedicated thread, stopped and joined on destruction.
class LoopThread {
 public:
  LoopThread() : thread_("test-loop") { thread_.run(); }

  [[nodiscard]] trantor::EventLoop& loop() { return *thread_.getLoop(); }

 private:
  trantor::EventLoopThread thread_;
};

}  // namespace auth_errors::tests
