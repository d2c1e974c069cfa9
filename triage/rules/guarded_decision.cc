#include "triage/rules/guarded_decision.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <utility>

namespace auth_errors::rules {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A decision is up to three statements.
constexpr int kShareOfTime = 4;

// The server's own limit: one that only we keep would cost the transaction.
std::string opening(database::Deadline deadline) {
  const auto rest = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  return std::format("SAVEPOINT rule; SET LOCAL statement_timeout = {}",
                     std::max((rest / kShareOfTime).count(), milliseconds::rep{1}));
}

// A rollback brings the session's limit back by itself.
constexpr const char* kKeep = "RELEASE SAVEPOINT rule; SET LOCAL statement_timeout TO DEFAULT";
constexpr const char* kUndo = "ROLLBACK TO SAVEPOINT rule; RELEASE SAVEPOINT rule";

}  // namespace

drogon::Task<std::optional<std::string>> runGuarded(database::Transaction& transaction,
                                                    std::function<drogon::Task<void>()> work) {
  co_await transaction.script(opening(transaction.deadline()));
  std::optional<std::string> fault;
  try {
    co_await work();
  } catch (const database::Error& error) {
    if (error.mayPass()) {
      throw;
    }
    fault = error.what();
  }
  co_await transaction.script(fault ? kUndo : kKeep);
  co_return fault;
}

database::Deadline patienceUntil(database::Deadline deadline) {
  const auto now = Clock::now();
  return now + (deadline - now) / 2;
}

drogon::Task<Deciding> decideGuarded(database::Transaction& transaction, triage::Verdict verdict,
                                     std::vector<domain::ErrorId> authErrorIds,
                                     database::Deadline patience) {
  Deciding outcome;
  std::vector<std::vector<domain::ErrorId>> waiting;
  waiting.push_back(std::move(authErrorIds));
  while (!waiting.empty()) {
    const std::vector<domain::ErrorId> ids = std::move(waiting.back());
    waiting.pop_back();
    std::size_t decided = 0;
    std::optional<std::string> fault = "no time was left for it";
    if (Clock::now() < patience) {
      fault = co_await runGuarded(transaction, [&]() -> drogon::Task<void> {
        decided = (co_await triage::decideAll(transaction, verdict, ids)).size();
      });
    }
    if (!fault) {
      outcome.decided += decided;
    } else if (ids.size() > 1 && Clock::now() < patience) {
      const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
      waiting.emplace_back(middle, ids.end());
      waiting.emplace_back(ids.begin(), middle);
    } else {
      outcome.failed += ids.size();
      outcome.failure = std::move(fault);
    }
  }
  co_return outcome;
}

}  // namespace auth_errors::rules
