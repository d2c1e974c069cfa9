// The only place where failures become ledger state, and a retry copy or a dead letter. Belongs to
// the consumer's loop.
#pragma once

#include <vector>

#include <drogon/utils/coroutine.h>

#include "consumer/batch_context.h"
#include "consumer/event_batch.h"

namespace auth_errors::consumer {

class FailureConclusion {
 public:
  explicit FailureConclusion(BatchContext& context) : context_(context) {}

  drogon::Task<> conclude(EventBatch& batch, std::vector<ItemFailure> failures);

 private:
  drogon::Task<> concludeTogether(EventBatch& batch, std::vector<ItemFailure> failures);

  BatchContext& context_;
};

}  // namespace auth_errors::consumer
