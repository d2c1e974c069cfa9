#include "database/request.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "telemetry/log.h"

namespace auth_errors::database {
namespace {

// Far deadlines overflow trantor's clock arithmetic; the sweep simply arms again.
constexpr std::chrono::steady_clock::duration kLongestTimer = std::chrono::hours(1);

}  // namespace

void DeadlineQueue::add(const std::shared_ptr<Request>& request) {
  request->deadlines_ = shared_from_this();
  request->deadlineEntry_ = entries_.emplace(request->deadline(), request);
  arm();
}

void DeadlineQueue::arm() {
  if (entries_.empty()) {
    return;
  }
  const Deadline earliest = entries_.begin()->first;
  if (armedFor_ && *armedFor_ <= earliest) {
    return;
  }
  armedFor_ = earliest;
  const auto now = std::chrono::steady_clock::now();
  const auto delay =
      std::clamp(earliest - now, std::chrono::steady_clock::duration::zero(), kLongestTimer);
  loop_.runAfter(std::chrono::duration<double>(delay).count(), [weak = weak_from_this(), earliest] {
    const auto self = weak.lock();
    if (self && self->armedFor_ == earliest) {
      self->armedFor_.reset();
      self->sweep();
    }
  });
}

void DeadlineQueue::sweep() {
  const auto now = std::chrono::steady_clock::now();
  while (!entries_.empty() && entries_.begin()->first <= now) {
    const auto request = entries_.begin()->second.lock();
    if (request) {
      request->deadlines_.reset();
    }
    entries_.erase(entries_.begin());
    if (!request) {
      continue;
    }
    if (const auto holder = request->holder.lock()) {
      holder->expire(request);
    } else {
      request->fail(Error(Failure::outcomeUnknown, "deadline passed"));
    }
  }
  arm();
}

void Request::succeed(Result result) {
  if (!done_) {
    result_ = std::move(result);
    complete();
  }
}

void Request::fail(const Error& error) {
  if (!done_) {
    failure_ = std::make_exception_ptr(error);
    complete();
  }
}

Result Request::take() {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  return std::move(result_);
}

void Request::complete() {
  done_ = true;
  holder.reset();
  if (const auto deadlines = std::exchange(deadlines_, nullptr)) {
    deadlines->remove(deadlineEntry_);
  }
  if (!waiter_) {
    return;
  }
  loop_.queueInLoop([self = shared_from_this()] {
    const auto waiter = std::exchange(self->waiter_, nullptr);
    if (!waiter) {
      return;
    }
    try {
      waiter.resume();
    } catch (...) {
      // Left alone it would end the loop, and with it the process.
      telemetry::log(telemetry::LogLevel::error, "database.coroutine_threw");
    }
  });
}

}  // namespace auth_errors::database
