// How a store asks the database and answers its caller: what the database could not do becomes a
// domain::Outage here and nowhere else, with a line in the log. On the client's loop.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>

#include "domain/values/outage.h"
#include "platform/database/client.h"

namespace auth_errors::database {

// How often a transaction is run that another one got in the way of.
inline constexpr int kTransactAttempts = 3;

// One call of a store: whom it asks, until when, and what the log calls its failure.
struct Call {
  Client& client;
  Deadline deadline;
  std::string_view event;  // "rules.failed"
  // It may look through many rows, so that to run out of time is no fault of the database.
  bool searches = false;
};

// Whether the caller can tell that nothing was done.
enum class Effect : std::uint8_t { none, possible };

// What the error of a call comes down to; logs it.
domain::Outage outageOf(const Error& error, const Call& call, Effect effect);

// Runs an action that changes nothing. The action returns a Task of a domain::Answer.
template <typename Action>
std::invoke_result_t<Action&> read(Call call, Action action) {
  try {
    co_return co_await action();
  } catch (const Error& error) {
    co_return std::unexpected(outageOf(error, call, Effect::none));
  }
}

// Runs an action whose one statement changes something.
template <typename Action>
std::invoke_result_t<Action&> write(Call call, Action action) {
  try {
    co_return co_await action();
  } catch (const Error& error) {
    co_return std::unexpected(outageOf(error, call, Effect::possible));
  }
}

// Runs one transaction that ends as its action says: committed with an answer, rolled back with a
// refusal. The action takes the transaction; it runs again if another transaction got in its way.
// Before the COMMIT is sent nothing can have happened, whatever answer did not come.
template <typename Action>
std::invoke_result_t<Action&, Transaction&> transact(Call call, Action action) {
  for (int attempt = 1;; ++attempt) {
    Effect effect = Effect::none;
    try {
      Transaction transaction = co_await call.client.begin(call.deadline);
      auto answer = co_await action(transaction);
      if (!answer) {
        co_await transaction.rollback();
        co_return answer;
      }
      effect = Effect::possible;
      co_await transaction.commit();
      co_return answer;
    } catch (const Error& error) {
      if (!error.isConflict() || attempt == kTransactAttempts) {
        co_return std::unexpected(outageOf(error, call, effect));
      }
    }
  }
}

}  // namespace auth_errors::database
