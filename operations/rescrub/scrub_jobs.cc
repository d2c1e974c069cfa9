#include "operations/rescrub/scrub_jobs.h"

#include <format>
#include <string_view>

#include "domain/scrub/scrubber.h"
#include "operations/rescrub/scrub_position.h"
#include "operations/rescrub/stored_texts.h"
#include "platform/database/answer.h"
#include "triage/jobs/scrub_job.h"

namespace auth_errors::rescrub {
namespace {

constexpr std::string_view kFailed = "rescrub.failed";

const database::Statement kFindOpen = jobs::openScrubJob();

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

const database::Statement kEnqueue =
    jobs::newScrubJob(totalSql(), ScrubPosition{.table = textTables().back().number + 1}.encoded());

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
