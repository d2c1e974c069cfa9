// Work that is done as soon as the database takes it: run again while the database is away, until
// the work succeeds, fails for good, or has to give way to a stop. On the client's loop.
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
  // No attempt begins later, except for the first.
  Deadline end = Deadline::max();
  // A statement that the database takes on and does not answer so many times in a row is at fault
  // itself: a database that is away can't be reached in between.
  int maxUnanswered = std::numeric_limits<int>::max();
  bool (*mayPass)(const Error&) = [](const Error& error) { return error.mayPass(); };
};

// Throws what the last attempt threw, or workers::Stopped. The action returns a Task; it runs again
// even if an earlier attempt did happen and only its answer was lost, so it must allow for that.
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
