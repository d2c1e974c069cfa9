// Long work on stored rows, mostly a cluster's errors: what is asked, how far it has come, and the
// part that differs from kind to kind. A job is done in chunks, in the order of ids; each chunk is
// one transaction together with the position that it has reached, so that after a crash nothing is
// repeated or left out.
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
    {JobKind::scrub, "scrub"},    // the current scrubber on everything stored
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

// What is to be done.
struct JobRequest {
  domain::StoredName<JobKind> kind;
  domain::ClusterId clusterId;  // names nothing for work on no cluster
  std::string requestedBy;
  std::optional<std::string> traceparent;
  // To decide.
  std::optional<domain::StoredName<domain::Decision>> decision;
  std::optional<std::string> note;
  // To move: all members, or only those with these hashes, or only those that match.
  std::optional<domain::ClusterId> targetClusterId;
  std::vector<std::string> stackHashes;
  triage::ErrorMatch match;
  // To scrub: by a scrubber of this version (domain::scrubberVersion()) and no other.
  std::optional<std::string> scrubVersion = {};
};

// The members from `position` (exclusive) to `lastPosition` (inclusive) are still to be examined.
// The fields, as those of JobRequest, are in the order of jobColumns().
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
  // At most `rows` members after the job's position, in the transaction that also records the
  // progress and holds the job's row. Work whose rows cost less or more than a decision may take
  // another number.
  virtual drogon::Task<Chunk> run(database::Transaction& transaction, Job job,
                                  std::size_t rows) = 0;
};

}  // namespace auth_errors::jobs
