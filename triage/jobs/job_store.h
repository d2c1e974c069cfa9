// Jobs as people see them: requested, listed, shown, cancelled. The store belongs to the loop of
// the client it is given. A job that has ended stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/values/names.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/jobs/job.h"

namespace auth_errors::jobs {

// A new job on the current members of the cluster, in the caller's transaction. Errors that join
// later are not among them, unless a move that was requested before brings them. The clusters' rows
// stay locked until the transaction ends, so that the ids of a cluster's jobs are in the order of
// the requests.
drogon::Task<Job> enqueue(database::Transaction& transaction, JobRequest request);

// An empty member lets everything through.
struct JobFilter {
  std::optional<JobStatus> status;
  std::optional<JobKind> kind;
  std::optional<domain::ClusterId> clusterId;  // of the job, or the one that it moves to

  bool operator==(const JobFilter&) const = default;
};

struct JobPage {
  JobFilter filter;
  std::optional<domain::JobId> before;  // only jobs of smaller ids
  std::size_t rows = 0;                 // at most
};

struct JobRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    ended,           // there is nothing to cancel any more
    notCancellable,  // it has to be finished
  };

  Reason reason{};
  std::optional<domain::StoredName<JobStatus>> currentStatus;  // ended, notCancellable: the job's
};

class JobStore {
 public:
  template <typename T>
  using Answer = domain::Answer<T, JobRefusal>;

  explicit JobStore(database::Clients clients) : clients_(clients) {}

  // Newest first.
  [[nodiscard]] drogon::Task<domain::Answer<std::vector<Job>>> page(JobPage page,
                                                                    database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<Job>> find(domain::JobId id, database::Deadline deadline);
  // What the job has decided or redacted stands. Moves can't be cancelled: they would leave half of
  // a cluster's errors elsewhere.
  [[nodiscard]] drogon::Task<Answer<Job>> cancel(domain::JobId id, std::string by,
                                                 database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::jobs
