// Jobs as people see them: asked for, listed, shown, cancelled. The store belongs to the loop of
// the client it is given. A job that has ended stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/jobs/job.h"

namespace auth_errors::jobs {

// A new job on the members that the cluster has now, in the caller's transaction: whoever joins
// later is not among them, unless a move that was asked for before brings it. The clusters' rows
// stay locked until it ends, so that the ids of one cluster's jobs are in the order in which they
// came.
drogon::Task<Job> enqueue(database::Transaction& transaction, JobRequest request,
                          database::Deadline deadline);

// An empty member lets everything through.
struct JobFilter {
  std::optional<JobStatus> status;
  std::optional<JobKind> kind;
  std::optional<std::int64_t> clusterId;  // of the job, or the one that it moves to

  bool operator==(const JobFilter&) const = default;
};

struct JobPage {
  JobFilter filter;
  std::optional<std::int64_t> before;  // only jobs of smaller ids
  std::size_t rows = 0;                // at most
};

enum class JobFault : std::uint8_t {
  unknown,
  ended,           // there is nothing to cancel any more
  notCancellable,  // it has to be finished
  unavailable,     // the database is away: nothing was changed
  tooSlow,         // a list took longer than its deadline allows
  outcomeUnknown,  // no answer came
};

struct JobRefusal {
  JobFault fault{};
  std::optional<domain::StoredName<JobStatus>> currentStatus;  // ended, notCancellable: the job's
};

class JobStore {
 public:
  template <typename T>
  using Answer = std::expected<T, JobRefusal>;

  explicit JobStore(database::Clients clients) : clients_(clients) {}

  // Newest first.
  [[nodiscard]] drogon::Task<Answer<std::vector<Job>>> page(JobPage page,
                                                            database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<Job>> find(std::int64_t id, database::Deadline deadline);
  // What is decided stays decided, and what is redacted redacted. Moves can't be cancelled: half of
  // the errors elsewhere would be no state to leave a cluster in.
  [[nodiscard]] drogon::Task<Answer<Job>> cancel(std::int64_t id, std::string by,
                                                 database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::jobs
