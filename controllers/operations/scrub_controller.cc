#include "controllers/operations/scrub_controller.h"

#include <string>
#include <utility>

#include <json/value.h>

#include "controllers/errors/auth_error_request.h"
#include "controllers/errors/error_intake.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/jobs/job_json.h"
#include "domain/errors/submission.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {
namespace {

Json::Value toJson(const domain::RedactionCounts& counts) {
  Json::Value json(Json::objectValue);
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = counts.of(row.kind); count > 0) {
      json[std::string(row.label)] = count;
    }
  }
  return json;
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> ScrubController::preview(Call call) {
  auto decoded = readSubmission(call.body());
  if (!decoded) {
    co_return call.reject(decoded.error());
  }
  if (!decoded->problems.empty()) {
    co_return call.reject(RejectReason::invalidFields, detailsOf(decoded->problems));
  }
  Json::Value body;
  body["fields"] = Json::Value(Json::objectValue);
  domain::RedactionCounts all;
  const auto sanitised = domain::sanitiseTexts(decoded->submission);
  for (const auto& [field, text] : sanitised) {
    Json::Value& shown = body["fields"][std::string(domain::ruleOf(field).name)];
    shown["text"] = text.text ? Json::Value(*text.text) : Json::Value();
    shown["truncated"] = text.truncated;
    shown["redactions"] = toJson(text.counts);
    all.add(text.counts);
  }
  body["redactions"] = toJson(all);
  co_return drogon::HttpResponse::newHttpJsonResponse(std::move(body));
}

drogon::Task<drogon::HttpResponsePtr> ScrubController::reapply(Call call) {
  const auto job =
      co_await jobs_.local().reapply(call.actor(), call.traceparent(), call.deadline());
  if (!job) {
    co_return call.reject(
        refusalFor(job.error(),
                   {.outcomeUnknown = "Repeat the request; only one such job is open at a time."}));
  }
  onJob_();
  co_return acceptedResponse(*job);
}

}  // namespace auth_errors::controllers
