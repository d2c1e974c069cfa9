// Rules with an age: they decide on errors that have waited undecided for that long, including
// those that are older than the rule. Belongs to its client's loop. Any number of instances may run
// it at once: no error is examined twice, and of two rules the first one decides.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "platform/workers/worker.h"
#include "triage/rules/metrics.h"

namespace auth_errors::rules {

class AgedRulesWorker final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{5'000};
    std::int64_t chunk = 500;
    std::chrono::milliseconds deadline{10'000};  // of a chunk
    std::function<void()> onEnqueued;  // events wait in the outbox: errors to analyse again
  };

  AgedRulesWorker(database::Client& client, Options options, Metrics& metrics);

  // How many errors were decided on.
  drogon::Task<std::size_t> runOnce();

 private:
  struct Examined {
    std::int64_t errors = 0;
    std::size_t decided = 0;
  };
  // At most a chunk of the errors that were old enough `then`, from where the rule last stopped.
  drogon::Task<Examined> examine(domain::RuleId ruleId, database::Timestamp then);

  database::Client& client_;
  Options options_;
  Metrics& metrics_;
};

}  // namespace auth_errors::rules
