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
#include "controllers/http/request_context.h"
#include "controllers/jobs/job_json.h"
#include "controllers/jobs/job_query.h"

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
      return conflict("A move of errors between clusters is always finished.");
  }
  std::unreachable();
}

drogon::HttpResponsePtr jobResponse(const jobs::Job& job) {
  std::string body;
  appendJob(body, job);
  return jsonResponse(std::move(body));
}

}  // namespace

JobsController::JobsController(Store store, std::chrono::milliseconds deadline)
    : store_(std::move(store)), deadline_(deadline) {}

drogon::Task<drogon::HttpResponsePtr> JobsController::list(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto query = jobQueryFromAddress(request->query());
  if (!query) {
    co_return reject(*context, RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  const std::size_t limit = query->page.limit;
  auto page = co_await store_().page(
      {.filter = query->filter, .before = query->page.before, .rows = rowsToRead(limit)},
      context->startedAt + deadline_);
  if (!page) {
    co_return reject(*context, refusalFor(page.error(), kJobAdvice));
  }
  co_return pageResponse(*std::move(page), limit, appendJob, [](const jobs::Job& last) {
    return encodeCursor(PagedList::jobs, last.id);
  });
}

drogon::Task<drogon::HttpResponsePtr> JobsController::show(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto job =
      co_await store_().find(idOf(*context).value_or(0), context->startedAt + deadline_);
  if (!job) {
    co_return reject(*context, refusalFor(job.error(), kJobAdvice, jobRefusal));
  }
  co_return jobResponse(*job);
}

drogon::Task<drogon::HttpResponsePtr> JobsController::cancel(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto job = co_await store_().cancel(
      idOf(*context).value_or(0), std::string(context->keyName()), context->startedAt + deadline_);
  if (!job) {
    co_return reject(*context, refusalFor(job.error(), kJobAdvice, jobRefusal));
  }
  co_return jobResponse(*job);
}

}  // namespace auth_errors::controllers
