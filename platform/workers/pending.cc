#include "platform/workers/pending.h"

#include <algorithm>

#include <trantor/net/EventLoop.h>

#include "platform/telemetry/log.h"

namespace auth_errors::workers {
namespace {

// Far deadlines overflow trantor's clock arithmetic; the sweep simply arms again.
constexpr std::chrono::steady_clock::duration kLongestSweep = std::chrono::hours(1);

}  // namespace

Deadlines::Entries::iterator Deadlines::add(Deadline deadline,
                                            const std::shared_ptr<Pending>& pending) {
  const auto entry = entries_.emplace(deadline, pending);
  arm();
  return entry;
}

void Deadlines::arm() {
  if (entries_.empty()) {
    return;
  }
  const Deadline earliest = entries_.begin()->first;
  if (armedFor_ && *armedFor_ <= earliest) {
    return;
  }
  armedFor_ = earliest;
  const auto delay = std::clamp(earliest - std::chrono::steady_clock::now(),
                                std::chrono::steady_clock::duration::zero(), kLongestSweep);
  loop_.runAfter(std::chrono::duration<double>(delay).count(), [weak = weak_from_this(), earliest] {
    const auto self = weak.lock();
    if (self && self->armedFor_ == earliest) {
      self->armedFor_.reset();
      self->sweep();
    }
  });
}

void Deadlines::sweep() {
  const auto now = std::chrono::steady_clock::now();
  while (!entries_.empty() && entries_.begin()->first <= now) {
    const auto pending = entries_.begin()->second.lock();
    entries_.erase(entries_.begin());
    if (pending) {
      pending->deadlines_.reset();
      pending->expire();
    }
  }
  arm();
}

void Pending::startClock(const std::shared_ptr<Deadlines>& deadlines,
                         Deadlines::Deadline deadline) {
  deadlines_ = deadlines;
  entry_ = deadlines_->add(deadline, shared_from_this());
}

void Pending::complete() {
  if (std::exchange(done_, true)) {
    return;
  }
  if (const auto deadlines = std::exchange(deadlines_, nullptr)) {
    deadlines->remove(entry_);
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
      // An uncaught exception would end the loop, and with it the process.
      telemetry::log(telemetry::LogLevel::error, "loop.coroutine_threw");
    }
  });
}

}  // namespace auth_errors::workers
