// One transaction that ends as its action says: committed with an answer, rolled back with a
// refusal. Runs on the client's loop.
#pragma once

#include <expected>
#include <type_traits>

#include "platform/database/client.h"

namespace auth_errors::database {

// How often a transaction is run that another one got in the way of.
inline constexpr int kTransactAttempts = 3;

// The action takes the transaction and returns a Task of std::expected; it may run more than once.
// `refusalOf(error, lost)` says what a failure is to the caller; lost is whether the transaction
// may have committed all the same. Before the COMMIT is sent nothing can have happened, whatever
// answer did not come.
template <typename Action, typename RefusalOf>
std::invoke_result_t<Action&, Transaction&> transact(Client& client, Action action,
                                                     RefusalOf refusalOf, Deadline deadline) {
  for (int attempt = 1;; ++attempt) {
    bool committing = false;
    try {
      Transaction transaction = co_await client.begin(deadline);
      auto answer = co_await action(transaction);
      if (!answer) {
        co_await transaction.rollback(deadline);
        co_return answer;
      }
      committing = true;
      co_await transaction.commit(deadline);
      co_return answer;
    } catch (const Error& error) {
      if (!error.isConflict() || attempt == kTransactAttempts) {
        co_return std::unexpected(
            refusalOf(error, committing && error.failure() == Failure::outcomeUnknown));
      }
    }
  }
}

}  // namespace auth_errors::database
