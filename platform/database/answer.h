// How a store calls the database: translates database errors to domain::Outage, with a log line; no
// other code does. Runs on the client's loop.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>

#include "domain/values/outage.h"
#include "platform/database/client.h"

namespace auth_errors::database {

// Attempts at a transaction that conflicts with others.
inline constexpr int kTransactAttempts = 3;

// A store's database call: client, deadline, and the log event for its failure.
struct Call {
  Client& client;
  Deadline deadline;
  std::string_view event;  // "rules.failed"
  // The call may scan many rows, so exceeding its deadline is not a fault of the database.
  bool searches = false;
};

// Whether a failed call may have had an effect.
enum class Effect : std::uint8_t { none, possible };

// Maps the error of a call to an outage and logs it.
domain::Outage outageOf(const Error& error, const Call& call, Effect effect);

// Runs a read-only action. The action returns a Task of a domain::Answer.
template <typename Action>
std::invoke_result_t<Action&> read(Call call, Action action) {
  try {
    co_return co_await action();
  } catch (const Error& error) {
    co_return std::unexpected(outageOf(error, call, Effect::none));
  }
}

// Runs an action whose single statement writes.
template <typename Action>
std::invoke_result_t<Action&> write(Call call, Action action) {
  try {
    co_return co_await action();
  } catch (const Error& error) {
    co_return std::unexpected(outageOf(error, call, Effect::possible));
  }
}

// Runs one transaction: commits if the action returns an answer, rolls back on a refusal. The
// action takes the transaction; it is repeated if another transaction conflicts with it. Until
// COMMIT is sent nothing can have taken effect, even if a response was lost.
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
