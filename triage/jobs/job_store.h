// Jobs as shown by the API: requested, listed, read, cancelled. Belongs to the loop of the given
// client. A job that has ended no longer changes.
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

// Creates a job on the current members of the cluster, in the caller's transaction. Errors that
// join later are not included, unless a move requested earlier adds them. The clusters' rows stay
// locked until the transaction ends, so that the ids of a cluster's jobs are in the order of the
// requests.
drogon::Task<Job> enqueue(database::Transaction& transaction, JobRequest request);

// An empty member matches everything.
struct JobFilter {
  std::optional<JobStatus> status;
  std::optional<JobKind> kind;
  std::optional<domain::ClusterId> clusterId;  // source or target of the job

  bool operator==(const JobFilter&) const = default;
};

struct JobPage {
  JobFilter filter;
  std::optional<domain::JobId> before;  // only jobs with smaller ids
  std::size_t rows = 0;                 // maximum
};

struct JobRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    ended,           // the job has already ended
    notCancellable,  // the job must be finished
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
  // Decisions and redactions already made are not undone. Moves cannot be cancelled: they would
  // leave half of a cluster's errors elsewhere.
  [[nodiscard]] drogon::Task<Answer<Job>> cancel(domain::JobId id, std::string by,
                                                 database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::jobs
