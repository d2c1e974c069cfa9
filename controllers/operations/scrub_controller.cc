#include "controllers/operations/scrub_controller.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "controllers/errors/auth_error_request.h"
#include "controllers/errors/error_intake.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "controllers/jobs/job_json.h"
#include "domain/errors/submission.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using JsonByName = std::map<std::string_view, encoding::JsonText>;

encoding::JsonText toJson(const JsonByName& members) {
  return encoding::jsonObject([&members](encoding::JsonObjectWriter& object) {
    for (const auto& [name, json] : members) {
      object.write(name, json);
    }
  });
}

encoding::JsonText toJson(const domain::RedactionCounts& counts) {
  JsonByName members;
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = counts.of(row.kind); count > 0) {
      encoding::appendJson(members[row.label].text, count);
    }
  }
  return toJson(members);
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> ScrubController::preview(Call call) {
  auto decoded = readSubmission(call.body());
  if (!decoded) {
    co_return call.reject(decoded.error());
  }
  if (!decoded->problems.empty()) {
    co_return call.reject(invalidFields(decoded->problems));
  }
  JsonByName fields;
  domain::RedactionCounts all;
  for (const auto& [field, text] : domain::sanitiseTexts(decoded->submission)) {
    fields[domain::ruleOf(field).name] =
        encoding::jsonObject([&text](encoding::JsonObjectWriter& object) {
          object.write("redactions", toJson(text.counts));
          object.write("text", text.text);
          object.write("truncated", text.truncated);
        });
    all.add(text.counts);
  }
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("fields", toJson(fields));
  object.write("redactions", toJson(all));
  object.close();
  co_return jsonResponse(encoding::inAscii(body));
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
