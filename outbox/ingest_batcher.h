// Group commit: errors that arrive while a write is in flight form the next batch, so that one
// commit answers many requests and a lone one waits for nothing. One per IO loop, used on that loop
// only. Every call is answered by its deadline.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <span>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "database/client.h"
#include "domain/auth_error_status.h"
#include "domain/submission.h"

namespace auth_errors::telemetry {
class Metrics;
}

namespace auth_errors::outbox {

struct StoredError {
  std::int64_t id = 0;
  domain::AuthErrorStatus status = domain::AuthErrorStatus::fresh;
  bool duplicate = false;
};

enum class StoreFault : std::uint8_t {
  overloaded,      // the queue is full: not tried
  unavailable,     // the database is away: surely not stored
  outcomeUnknown,  // no answer came: stored or not
  unstorable,      // the database refuses this very error
};

struct BatchLimits {
  std::size_t rows = 128;
  std::size_t bytes = 1U << 20U;
  std::size_t queueRows = 4'096;
  std::size_t queueBytes = 64U << 20U;
};

class IngestBatcher {
 public:
  using Answer = std::expected<StoredError, StoreFault>;

  IngestBatcher(database::Client& client, BatchLimits limits, telemetry::Metrics& metrics);

  // The answer comes after the commit.
  [[nodiscard]] drogon::Task<Answer> store(domain::AcceptedError error,
                                           database::Deadline deadline);

  // Nothing waiting and nothing in flight.
  [[nodiscard]] bool idle() const { return !writing_ && queue_.empty(); }

 private:
  struct Waiting {
    domain::AcceptedError error;
    database::Deadline deadline;
    std::size_t bytes = 0;
    Answer answer{std::unexpected(StoreFault::unavailable)};
    std::coroutine_handle<> resume;
  };
  using Batch = std::vector<Waiting*>;

  class Turn;  // awaits a Waiting's answer

  drogon::AsyncTask writeUntilEmpty();
  // Takes what fits into one batch from the front of the queue, and what is too late into `late`.
  Batch takeBatch(Batch& late);
  drogon::Task<void> write(Batch batch);
  // `distinct` is sorted by request id, without repeats. Splits itself on a fault of the data.
  drogon::Task<void> writeDistinct(std::span<Waiting* const> distinct, database::Deadline deadline);
  drogon::Task<void> insert(std::span<Waiting* const> distinct, database::Deadline deadline);

  database::Client& client_;
  BatchLimits limits_;
  telemetry::Metrics& metrics_;
  std::deque<Waiting*> queue_;
  std::size_t queuedBytes_ = 0;
  bool writing_ = false;
};

}  // namespace auth_errors::outbox
