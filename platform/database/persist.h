// Repeats work while the database is unavailable, until it succeeds, fails permanently, or is
// stopped. On the client's loop.
#pragma once

#include <chrono>
#include <exception>
#include <limits>
#include <type_traits>

#include <drogon/utils/coroutine.h>

#include "domain/retry/backoff.h"
#include "platform/database/error.h"
#include "platform/database/types.h"
#include "platform/telemetry/fault_log.h"
#include "platform/workers/stop_signal.h"
#include "platform/workers/worker.h"

namespace auth_errors::database {

struct Persistence {
  workers::StopSignal& stop;
  telemetry::FaultLog& faults;
  workers::Pauses pauses = workers::kShortPauses;
  // No attempt starts later, except for the first.
  Deadline end = Deadline::max();
  // A statement that times out this many times in a row is itself at fault: an unavailable database
  // would be unreachable in between.
  int maxUnanswered = std::numeric_limits<int>::max();
  bool (*mayPass)(const Error&) = [](const Error& error) { return error.mayPass(); };
};

// Throws the exception of the last attempt, or workers::Stopped. The action returns a Task; it is
// repeated even if an earlier attempt was executed and only its response was lost, so it must be
// idempotent.
template <typename Action>
std::invoke_result_t<Action&> persist(Persistence how, Action action) {
  domain::Backoff backoff(how.pauses.shortest, how.pauses.longest);
  int unanswered = 0;
  while (true) {
    std::exception_ptr failure;
    try {
      if constexpr (std::is_same_v<std::invoke_result_t<Action&>, drogon::Task<void>>) {
        co_await action();
        how.faults.succeeded();
        co_return;
      } else {
        auto result = co_await action();
        how.faults.succeeded();
        co_return result;
      }
    } catch (const Error& error) {
      unanswered = error.failure() == Failure::outcomeUnknown ? unanswered + 1 : 0;
      if (!how.mayPass(error) || unanswered == how.maxUnanswered) {
        throw;
      }
      failure = std::current_exception();
      how.faults.failed(error.what());
    }
    if (how.stop.raised()) {
      throw workers::Stopped();
    }
    if (std::chrono::steady_clock::now() >= how.end) {
      std::rethrow_exception(failure);
    }
    co_await how.stop.rest(backoff.next());
    if (how.stop.raised()) {
      throw workers::Stopped();
    }
  }
}

}  // namespace auth_errors::database
