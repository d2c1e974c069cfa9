// Republishes messages that the broker lost: confirmed messages that never reached the ledger, or
// whose retry copy never came back. Belongs to the loop of its client and publisher.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>

#include "outbox/metrics.h"
#include "outbox/outbox_store.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"
#include "platform/workers/worker.h"

namespace auth_errors::outbox {

class Sweeper final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{30'000};
    // The longest rung and the lease: until then a message may simply be waiting.
    std::chrono::milliseconds grace{660'000};
    messaging::QueueName workQueue;
    // With a longer work queue, messages may be late rather than lost, and republishing them would
    // only make the queue longer. Then only messages that must have passed through it are
    // republished.
    std::uint32_t longestBacklog = 1'000;
    std::int64_t chunk = 1'000;
    std::chrono::milliseconds deadline{10'000};
    std::function<void()> onSwept;  // reports work for the claim worker
  };

  Sweeper(database::Client& client, messaging::Publisher& publisher, Options options,
          Metrics& metrics);

  // All zero while the broker cannot be queried.
  drogon::Task<SweepCounts> runOnce();

 private:
  database::Client& client_;
  messaging::Publisher& publisher_;
  Options options_;
  Metrics& metrics_;
};

}  // namespace auth_errors::outbox
