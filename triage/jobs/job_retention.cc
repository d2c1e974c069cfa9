#include "triage/jobs/job_retention.h"

namespace auth_errors::jobs {
namespace {

// Only ended jobs have a finished_at. Oldest first: ids increase with the time of the request.
const database::Statement kDeleteOld{
    .name = "delete_old_jobs",
    .sql =
        "DELETE FROM job WHERE id = ANY(ARRAY(SELECT id FROM job WHERE finished_at < now() - $1 "
        "ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))"};

}  // namespace

JobRetention::JobRetention(database::Client& client, Options options)
    : Worker(client.loop(), {.faultEvent = "jobs.retention_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(options) {}

drogon::Task<std::size_t> JobRetention::runOnce() {
  std::size_t deleted = 0;
  std::size_t chunk = 0;
  do {
    const auto began = std::chrono::steady_clock::now();
    const database::Result deletedJobs = co_await client_.run(
        kDeleteOld, began + options_.deadline, std::chrono::seconds(options_.age), options_.chunk);
    chunk = deletedJobs.affectedRows();
    deleted += chunk;
    co_await restAfter(began);
  } while (!stopping() && chunk == static_cast<std::size_t>(options_.chunk));
  co_return deleted;
}

}  // namespace auth_errors::jobs
