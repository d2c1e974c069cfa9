// Group commit: errors that arrive while a write is in flight form the next batch, so that one
// commit answers many requests and a single one waits for nothing. One per I/O loop, used on that
// loop only. Every call is answered by its deadline. Batches take from the sources in turn.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_status.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/values/outage.h"
#include "outbox/auth_error_store.h"
#include "outbox/fair_queue.h"
#include "outbox/metrics.h"
#include "platform/database/client.h"

namespace auth_errors::outbox {

struct StoredError {
  domain::ErrorId id;
  domain::StoredName<domain::AuthErrorStatus> status;
  bool duplicate = false;
  std::optional<std::string> serviceName = {};  // of the stored error
};

// The error stored under the request id of a conflict.
struct FirstError {
  domain::ErrorId id;
  std::optional<std::string> serviceName;
};

struct NotStored {
  enum class Reason : std::uint8_t {
    overloaded,  // the queue is full: not tried
    unstorable,  // the database refuses this error
    conflict,    // another error has the request id
  };
  Reason reason = Reason::overloaded;
  std::optional<FirstError> first = {};  // of a conflict
};

struct BatchLimits {
  std::size_t rows = 128;
  std::size_t bytes = 1U << 20U;
  std::size_t queueRows = 4'096;
  std::size_t queueBytes = 64U << 20U;
};

class IngestBatcher {
 public:
  using Answer = domain::Answer<StoredError, NotStored>;
  // A client's connection, to be fair to the others. Only compared.
  using Source = const void*;

  // `instance` is recorded as the receiver, `digestVersion` as the version of the content digests.
  // `onStored` is called after each commit that inserted rows, and therefore events.
  IngestBatcher(database::Client& client, BatchLimits limits, domain::InstanceName instance,
                std::string digestVersion, Metrics& metrics, std::function<void()> onStored);

  // Answers after the commit, in the errors' order. Either all are queued or none.
  [[nodiscard]] drogon::Task<std::vector<Answer>> store(std::vector<domain::AcceptedError> errors,
                                                        Source source, database::Deadline deadline);

  // Nothing is waiting or in flight.
  [[nodiscard]] bool idle() const { return !writing_ && queue_.empty(); }

 private:
  struct Group;  // the errors of one call
  struct Waiting {
    domain::AcceptedError error;
    ContentDigest digest{};
    std::size_t bytes = 0;
    Group* group = nullptr;
    Answer answer{std::unexpected(domain::Outage::unavailable)};
    // Set if it was the first of its batch with its request id.
    std::optional<StoredRow> row;
  };
  struct Group {
    database::Deadline deadline;
    std::vector<Waiting> waiting;
    std::size_t open = 0;  // not answered yet
    std::coroutine_handle<> caller;
  };
  using Batch = std::vector<Waiting*>;

  class Turn;  // awaits a Group's answers

  // The answer for an error that arrived after the row was created.
  static Answer repeatOf(const StoredRow& row, const ContentDigest& digest);
  static void answered(const Batch& batch);
  drogon::AsyncTask writeUntilEmpty();
  // Takes a batch from the front of the queue, and errors past their deadline into `late`.
  Batch takeBatch(Batch& late);
  drogon::Task<void> write(Batch batch);
  // REQUIRES: `distinct` is sorted by request id, without duplicates. Splits the batch on a data
  // fault.
  drogon::Task<void> writeDistinct(std::span<Waiting* const> distinct, database::Deadline deadline);
  drogon::Task<void> insert(std::span<Waiting* const> distinct, database::Deadline deadline);

  database::Client& client_;
  BatchLimits limits_;
  domain::InstanceName instance_;
  std::string digestVersion_;
  Metrics& metrics_;
  std::function<void()> onStored_;
  FairQueue<Source, Waiting*> queue_;
  std::size_t queuedBytes_ = 0;
  std::chrono::steady_clock::time_point lastSingle_;  // when a call last had a single error
  bool writing_ = false;
};

}  // namespace auth_errors::outbox
