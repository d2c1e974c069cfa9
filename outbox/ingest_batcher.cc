#include "outbox/ingest_batcher.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "outbox/auth_error_store.h"
#include "outbox/metrics.h"
#include "platform/database/error.h"
#include "platform/telemetry/log.h"

namespace auth_errors::outbox {
namespace {

// With less time left than this a write would probably be cancelled, together with the rest of its
// batch.
constexpr std::chrono::milliseconds kLeastTime{100};
// A client that sends single errors repeatedly does so within this time.
constexpr std::chrono::milliseconds kSinglesLast{50};
// The part of a batch for large calls while others arrive: a millisecond or two.
constexpr std::size_t kSharedPart = 16;

std::size_t bytesOf(const domain::AcceptedError& error) {
  std::size_t bytes = 0;
  for (const auto& text : error.texts) {
    bytes += text ? text->size() : 0;
  }
  return bytes;
}

bool isConflict(const IngestBatcher::Answer& answer) {
  return !answer && answer.error().outage() == nullptr &&
         answer.error().refusal().reason == NotStored::Reason::conflict;
}

}  // namespace

class IngestBatcher::Turn {
 public:
  Turn(IngestBatcher& batcher, Group& group, Source source)
      : batcher_(batcher), group_(group), source_(source) {}

  [[nodiscard]] bool await_ready() const noexcept { return group_.waiting.empty(); }

  // The writer may finish and resume the caller before this returns, so nothing is accessed after
  // it.
  void await_suspend(std::coroutine_handle<> caller) {
    group_.caller = caller;
    for (Waiting& waiting : group_.waiting) {
      batcher_.queue_.push(source_, &waiting);
      batcher_.queuedBytes_ += waiting.bytes;
    }
    batcher_.metrics_.ingestQueueDepth.add(group_.open);
    if (!batcher_.writing_) {
      batcher_.writeUntilEmpty();
    }
  }

  void await_resume() const noexcept {}

 private:
  IngestBatcher& batcher_;
  Group& group_;
  Source source_;
};

IngestBatcher::IngestBatcher(database::Client& client, BatchLimits limits,
                             domain::InstanceName instance, std::string digestVersion,
                             Metrics& metrics, std::function<void()> onStored)
    : client_(client),
      limits_(limits),
      instance_(std::move(instance)),
      digestVersion_(std::move(digestVersion)),
      metrics_(metrics),
      onStored_(std::move(onStored)) {}

drogon::Task<std::vector<IngestBatcher::Answer>> IngestBatcher::store(
    std::vector<domain::AcceptedError> errors, Source source, database::Deadline deadline) {
  if (errors.size() == 1) {
    lastSingle_ = std::chrono::steady_clock::now();
  }
  Group group{.deadline = deadline, .waiting = {}, .open = errors.size(), .caller = {}};
  group.waiting.reserve(errors.size());
  std::size_t bytes = 0;
  for (domain::AcceptedError& error : errors) {
    Waiting& waiting = group.waiting.emplace_back();
    waiting.bytes = bytesOf(error);
    waiting.group = &group;
    waiting.error = std::move(error);
    bytes += waiting.bytes;
  }
  // An empty queue accepts calls that a full one would never have room for.
  if (!queue_.empty() && (queue_.size() + errors.size() > limits_.queueRows ||
                          queuedBytes_ + bytes > limits_.queueBytes)) {
    co_return std::vector<Answer>(
        errors.size(), std::unexpected(NotStored{.reason = NotStored::Reason::overloaded}));
  }
  co_await Turn(*this, group, source);
  std::vector<Answer> answers;
  answers.reserve(group.waiting.size());
  for (const Waiting& waiting : group.waiting) {
    answers.push_back(waiting.answer);
  }
  co_return answers;
}

IngestBatcher::Answer IngestBatcher::repeatOf(const StoredRow& row, const ContentDigest& digest) {
  if (row.digest && *row.digest != digest) {
    return std::unexpected(
        NotStored{.reason = NotStored::Reason::conflict,
                  .first = FirstError{.id = row.id, .serviceName = row.serviceName}});
  }
  return StoredError{
      .id = row.id, .status = row.status, .duplicate = true, .serviceName = row.serviceName};
}

void IngestBatcher::answered(const Batch& batch) {
  for (Waiting* waiting : batch) {
    // The caller's frame owns the group and ends with this, if it was the last of its group.
    Group& group = *waiting->group;
    if (--group.open == 0) {
      group.caller.resume();
    }
  }
}

drogon::AsyncTask IngestBatcher::writeUntilEmpty() {
  writing_ = true;
  while (!queue_.empty()) {
    Batch late;
    const Batch batch = takeBatch(late);
    // Immediately: the write may take as long as its own requests have left.
    answered(late);
    if (!batch.empty()) {
      co_await write(batch);
      answered(batch);
    }
  }
  writing_ = false;
}

IngestBatcher::Batch IngestBatcher::takeBatch(Batch& late) {
  const auto now = std::chrono::steady_clock::now();
  const database::Deadline latest = now + kLeastTime;
  // A request that arrives meanwhile waits for the whole batch, so large calls only fill a part of
  // it while others wait or are likely to arrive.
  const bool singlesCome = now - lastSingle_ < kSinglesLast;
  const auto most = [this, singlesCome] {
    const bool shared = singlesCome || queue_.sources() > 1;
    return shared && !queue_.servesFresh() ? limits_.bytes / kSharedPart : limits_.bytes;
  };
  Batch batch;
  std::size_t bytes = 0;
  while (!queue_.empty() && batch.size() < limits_.rows &&
         (batch.empty() || bytes + queue_.front()->bytes <= most())) {
    Waiting* next = queue_.pop();
    queuedBytes_ -= next->bytes;
    metrics_.ingestQueueDepth.subtract();
    if (next->group->deadline < latest) {
      late.push_back(next);
    } else {
      // Not for a whole call at once, which may be larger than other requests of the loop can wait
      // for.
      next->digest = contentDigest(next->error);
      batch.push_back(next);
      bytes += next->bytes;
    }
  }
  return batch;
}

drogon::Task<void> IngestBatcher::write(Batch batch) {
  const auto key = [](const Waiting* waiting) {
    return std::string_view(waiting->error.required(domain::TextField::requestId));
  };
  metrics_.ingestBatchRows.observe(batch.size());
  const database::Deadline deadline = std::ranges::min(batch, {}, [](const Waiting* waiting) {
                                        return waiting->group->deadline;
                                      })->group->deadline;

  // Stable, so that of equal request ids the first to arrive is stored.
  std::ranges::stable_sort(batch, {}, key);
  Batch distinct;
  std::ranges::unique_copy(batch, std::back_inserter(distinct), {}, key);
  co_await writeDistinct(distinct, deadline);

  for (Waiting* waiting : batch) {
    Waiting* first = *std::ranges::lower_bound(distinct, key(waiting), {}, key);
    if (first != waiting) {
      waiting->answer = first->row ? repeatOf(*first->row, waiting->digest) : first->answer;
    }
    if (waiting->answer) {
      metrics_
          .ingestErrors[waiting->answer->duplicate ? IngestResult::duplicate : IngestResult::stored]
          .add();
    } else if (isConflict(waiting->answer)) {
      metrics_.ingestConflicts.add();
    }
  }
}

drogon::Task<void> IngestBatcher::writeDistinct(std::span<Waiting* const> distinct,
                                                database::Deadline deadline) {
  bool dataAtFault = false;
  domain::Outage outage = domain::Outage::unavailable;
  std::string reason;
  try {
    co_await insert(distinct, deadline);
    metrics_.ingestBatches[BatchOutcome::stored].add();
    co_return;
  } catch (const database::Error& error) {
    dataAtFault = error.isDataFault();
    if (error.failure() == database::Failure::outcomeUnknown) {
      outage = domain::Outage::outcomeUnknown;
    }
    reason = error.what();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (dataAtFault && distinct.size() > 1) {
    // One invalid row must not fail the others.
    metrics_.ingestBatches[BatchOutcome::split].add();
    const std::size_t half = distinct.size() / 2;
    co_await writeDistinct(distinct.first(half), deadline);
    co_await writeDistinct(distinct.subspan(half), deadline);
    co_return;
  }
  metrics_.ingestBatches[BatchOutcome::failed].add();
  telemetry::log(telemetry::LogLevel::warn, "ingest.batch_failed",
                 {{"rows", distinct.size()}, {"error", reason}});
  const Answer answer =
      dataAtFault ? Answer(std::unexpected(NotStored{.reason = NotStored::Reason::unstorable}))
                  : Answer(std::unexpected(outage));
  for (Waiting* waiting : distinct) {
    if (!waiting->row) {
      waiting->answer = answer;
    }
  }
}

drogon::Task<void> IngestBatcher::insert(std::span<Waiting* const> distinct,
                                         database::Deadline deadline) {
  std::vector<NewError> errors;
  errors.reserve(distinct.size());
  for (const Waiting* waiting : distinct) {
    errors.push_back({.error = &waiting->error, .digest = waiting->digest});
  }
  const auto waitingFor = [distinct](std::string_view dedupKey) {
    return *std::ranges::lower_bound(distinct, dedupKey, {}, [](const Waiting* waiting) {
      return std::string_view(waiting->error.required(domain::TextField::requestId));
    });
  };
  // Awaited outside the loop headers: GCC 16 fails on co_await inside a range-for header.
  std::vector<InsertedError> inserted =
      co_await insertErrors(client_, std::move(errors), instance_, digestVersion_, deadline);
  if (!inserted.empty()) {
    onStored_();
  }
  for (InsertedError& error : inserted) {
    Waiting* waiting = waitingFor(error.dedupKey);
    const StoredRow& row = waiting->row.emplace(
        StoredRow{.dedupKey = std::move(error.dedupKey),
                  .id = error.id,
                  .status = domain::AuthErrorStatus::fresh,
                  .digest = waiting->digest,
                  .serviceName = waiting->error.text(domain::TextField::serviceName)});
    waiting->answer = StoredError{
        .id = row.id, .status = row.status, .duplicate = false, .serviceName = row.serviceName};
  }

  // Rows that existed before, or that another transaction created meanwhile.
  std::vector<std::string_view> others;
  for (const Waiting* waiting : distinct) {
    if (!waiting->row) {
      others.emplace_back(waiting->error.required(domain::TextField::requestId));
    }
  }
  if (others.empty()) {
    co_return;
  }
  std::vector<StoredRow> found =
      co_await findByRequestId(client_, std::move(others), digestVersion_, deadline);
  for (StoredRow& row : found) {
    Waiting* waiting = waitingFor(row.dedupKey);
    waiting->answer = repeatOf(row, waiting->digest);
    waiting->row = std::move(row);
  }
}

}  // namespace auth_errors::outbox
