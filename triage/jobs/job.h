// Long-running work on stored rows, usually a cluster's errors: the request, its progress, and the
// part that differs between kinds. A job is processed in chunks, in the order of ids; each chunk is
// one transaction that also records its position, so that after a crash nothing is repeated or
// skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/database/after_commit.h"
#include "platform/database/client.h"
#include "triage/errors/error_match.h"

namespace auth_errors::jobs {

enum class JobKind : std::uint8_t { decide, move, scrub };
inline constexpr std::array<std::pair<JobKind, std::string_view>, 3> kJobKindNames{{
    {JobKind::decide, "decide"},  // all undecided members of a cluster
    {JobKind::move, "move"},      // members of a cluster to another one: a merge or a split
    {JobKind::scrub, "scrub"},    // applies the current scrubber to all stored data
}};

enum class JobStatus : std::uint8_t { queued, running, done, cancelled, failed };
inline constexpr std::array<std::pair<JobStatus, std::string_view>, 5> kJobStatusNames{{
    {JobStatus::queued, "QUEUED"},
    {JobStatus::running, "RUNNING"},
    {JobStatus::done, "DONE"},
    {JobStatus::cancelled, "CANCELLED"},
    {JobStatus::failed, "FAILED"},
}};

constexpr const auto& namesOf(JobKind /*any*/) { return kJobKindNames; }
constexpr const auto& namesOf(JobStatus /*any*/) { return kJobStatusNames; }

constexpr std::string_view toText(JobKind kind) {
  return kJobKindNames.at(static_cast<std::size_t>(kind)).second;
}
constexpr std::string_view toText(JobStatus status) {
  return kJobStatusNames.at(static_cast<std::size_t>(status)).second;
}

// The request for a job.
struct JobRequest {
  domain::StoredName<JobKind> kind;
  domain::ClusterId clusterId;  // empty for work on no cluster
  std::string requestedBy;
  std::optional<std::string> traceparent;
  // decide only.
  std::optional<domain::StoredName<domain::Decision>> decision;
  std::optional<std::string> note;
  // move only: all members, or only those with these hashes, or only those that match.
  std::optional<domain::ClusterId> targetClusterId;
  std::vector<std::string> stackHashes;
  triage::ErrorMatch match;
  // scrub only: the required scrubber version (domain::scrubberVersion()).
  std::optional<std::string> scrubVersion = {};
};

// Members from `position` (exclusive) to `lastPosition` (inclusive) are still to be examined. The
// fields, like those of JobRequest, are in the order of jobColumns().
struct Job {
  domain::JobId id;
  JobRequest request;
  domain::StoredName<JobStatus> status;
  std::int64_t total = 0;
  std::int64_t examined = 0;
  std::int64_t changed = 0;
  std::int64_t position = 0;
  std::int64_t lastPosition = 0;
  std::int32_t failures = 0;
  std::optional<std::string> error;
  std::optional<std::string> cancelledBy;
  domain::Instant createdAt;
  std::optional<domain::Instant> startedAt;
  std::optional<domain::Instant> finishedAt;
};

struct Chunk {
  std::int64_t examined = 0;
  std::int64_t changed = 0;
  std::int64_t position = 0;  // of the last examined member
  bool last = false;          // no member is left
  database::AfterCommit afterCommit = {};
};

class JobWork {
 public:
  JobWork() = default;
  virtual ~JobWork() = default;
  JobWork(const JobWork&) = delete;
  JobWork& operator=(const JobWork&) = delete;
  JobWork(JobWork&&) = delete;
  JobWork& operator=(JobWork&&) = delete;

  [[nodiscard]] virtual JobKind kind() const = 0;
  // Processes up to `rows` members after the job's position, in the transaction that also records
  // the progress and locks the job's row. Work whose rows cost less or more than a decision may use
  // another number.
  virtual drogon::Task<Chunk> run(database::Transaction& transaction, Job job,
                                  std::size_t rows) = 0;
};

}  // namespace auth_errors::jobs
