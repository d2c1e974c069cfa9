#include "operations/rescrub/scrub_jobs.h"

#include <format>
#include <string_view>

#include "domain/scrub/scrubber.h"
#include "operations/rescrub/scrub_position.h"
#include "operations/rescrub/stored_texts.h"
#include "platform/database/answer.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::rescrub {
namespace {

using jobs::JobKind;
using jobs::JobStatus;
using jobs::toText;

constexpr std::string_view kFailed = "rescrub.failed";

const std::string kIsOpen =
    std::format("kind = '{}' AND status IN ('{}', '{}')", toText(JobKind::scrub),
                toText(JobStatus::queued), toText(JobStatus::running));

const database::Statement kFindOpen{
    .name = "find_open_scrub_job",
    .sql = std::format("SELECT {} FROM job WHERE {}", jobs::jobColumns(), kIsOpen)};

// A larger table (over 256 MiB) is not counted while a request waits: its rows are estimated from a
// sample, and the job corrects the number.
constexpr int kCountedPages = 32'768;
std::string countSql(std::string_view table, std::string_view condition) {
  const std::string share = std::format(
      "least(100, 100.0 * {} * current_setting('block_size')::int / "
      "greatest(1, pg_relation_size('{}')))",
      kCountedPages, table);
  return std::format(
      "(SELECT ceil(count(*) * 100 / {0})::bigint FROM {1} t TABLESAMPLE SYSTEM ({0}) WHERE {2})",
      share, table, condition);
}

std::string totalSql() {
  std::string total = countSql("auth_error", "t.scrub_version IS DISTINCT FROM $scrub_version");
  for (const TextTable& table : textTables()) {
    total += std::format("\n  + {}", countSql(table.name, hasTextSql(table)));
  }
  return total;
}

const database::Statement kEnqueue{
    .name = "enqueue_scrub_job",
    .parameters = "scrub_version traceparent requested_by",
    .sql = std::format(R"(INSERT INTO job (kind, status, cluster_id, scrub_version, traceparent,
  requested_by, total, examined, changed, position, last_position, failures, created_at)
SELECT '{0}', '{1}', 0, $scrub_version::text, $traceparent, $requested_by, {2},
       0, 0, 0, {3}, 0, clock_timestamp()
ON CONFLICT (kind) WHERE {4} DO NOTHING
RETURNING {5})",
                       toText(JobKind::scrub), toText(JobStatus::queued), totalSql(),
                       ScrubPosition{.table = textTables().back().number + 1}.encoded(), kIsOpen,
                       jobs::jobColumns())};

}  // namespace

drogon::Task<domain::Answer<jobs::Job>> ScrubJobs::reapply(std::string requestedBy,
                                                           std::optional<std::string> traceparent,
                                                           database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kFailed},
      [&](database::Transaction& transaction) -> drogon::Task<domain::Answer<jobs::Job>> {
        // Of two concurrent requests, one finds the other's job in its second pass; if that has
        // ended by then, a third pass follows.
        while (true) {
          const database::Result open = co_await transaction.run(kFindOpen);
          if (!open.empty()) {
            co_return open.only<jobs::Job>();
          }
          const database::Result made = co_await transaction.run(
              kEnqueue, domain::scrubberVersion(), traceparent, requestedBy);
          if (!made.empty()) {
            co_return made.only<jobs::Job>();
          }
        }
      });
}

}  // namespace auth_errors::rescrub
