// Renews the leases of a batch during its own lifetime. Belongs to the loop of its client, which
// outlives it.
#pragma once

#include <trantor/net/EventLoop.h>

#include "consumer/batch_context.h"

namespace auth_errors::consumer {

class LeaseKeeper {
 public:
  LeaseKeeper(BatchContext& context, const EventBatch& batch);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  LeaseKeeper(LeaseKeeper&&) = delete;
  LeaseKeeper& operator=(LeaseKeeper&&) = delete;

 private:
  trantor::EventLoop& loop_;
  trantor::TimerId timer_;
};

}  // namespace auth_errors::consumer
