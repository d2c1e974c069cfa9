#include "controllers/jobs/jobs_controller.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "controllers/jobs/job_json.h"
#include "controllers/jobs/job_query.h"
#include "domain/identity/ids.h"

namespace auth_errors::controllers {
namespace {

using jobs::JobRefusal;

constexpr OutageAdvice kJobAdvice{.outcomeUnknown = "Read the job to see whether it is cancelled.",
                                  .tooSlow = {}};

Refusal jobRefusal(const JobRefusal& refused) {
  const auto conflict = [&refused](std::string detail) {
    return Refusal{
        .reason = RejectReason::conflict,
        .details = {.detail = std::move(detail), .currentStatus = refused.currentStatus->text()}};
  };
  switch (refused.reason) {
    case JobRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case JobRefusal::Reason::ended:
      return conflict("The job has ended.");
    case JobRefusal::Reason::notCancellable:
      return conflict("A move of errors between clusters cannot be cancelled.");
  }
  std::unreachable();
}

drogon::HttpResponsePtr jobResponse(const jobs::Job& job) {
  std::string body;
  appendJob(body, job);
  return jsonResponse(std::move(body));
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> JobsController::list(Call call) {
  auto query = jobQueryFromAddress(call.query());
  if (!query) {
    co_return call.reject(RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  const std::size_t limit = query->page.limit;
  auto page =
      co_await stores_.local().page({.filter = query->filter,
                                     .before = std::optional<domain::JobId>(query->page.before),
                                     .rows = rowsToRead(limit)},
                                    call.deadline());
  if (!page) {
    co_return call.reject(refusalFor(page.error(), kJobAdvice));
  }
  co_return pageResponse(*std::move(page), limit, appendJob, [](const jobs::Job& last) {
    return encodeCursor(PagedList::jobs, last.id);
  });
}

drogon::Task<drogon::HttpResponsePtr> JobsController::show(Call call) {
  const auto job = co_await stores_.local().find(call.id<domain::JobId>(), call.deadline());
  if (!job) {
    co_return call.reject(refusalFor(job.error(), kJobAdvice, jobRefusal));
  }
  co_return jobResponse(*job);
}

drogon::Task<drogon::HttpResponsePtr> JobsController::cancel(Call call) {
  const auto job =
      co_await stores_.local().cancel(call.id<domain::JobId>(), call.actor(), call.deadline());
  if (!job) {
    co_return call.reject(refusalFor(job.error(), kJobAdvice, jobRefusal));
  }
  co_return jobResponse(*job);
}

}  // namespace auth_errors::controllers
