#include "controllers/jobs/job_json.h"

#include <format>

#include "controllers/http/json_response.h"
#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {

void appendJob(std::string& out, const jobs::Job& job) {
  const jobs::JobRequest& request = job.request;
  encoding::JsonObjectWriter object(out);
  object.number("jobId", job.id);
  object.text("kind", request.kind.text());
  object.text("status", job.status.text());
  request.clusterId != domain::ClusterId() ? object.number("clusterId", request.clusterId)
                                           : object.null("clusterId");
  request.targetClusterId ? object.number("targetClusterId", *request.targetClusterId)
                          : object.null("targetClusterId");
  object.textOrNull(
      "decision", request.decision.transform([](const auto& decision) { return decision.text(); }));
  object.textOrNull("note", request.note);
  object.textOrNull("scrubberVersion", request.scrubVersion);
  object.text("requestedBy", request.requestedBy);
  object.number("total", job.total);
  object.number("examined", job.examined);
  object.number("changed", job.changed);
  object.textOrNull("error", job.error);
  object.textOrNull("cancelledBy", job.cancelledBy);
  object.text("createdAt", domain::formatInstant(job.createdAt));
  object.textOrNull("startedAt", job.startedAt.transform(domain::formatInstant));
  object.textOrNull("finishedAt", job.finishedAt.transform(domain::formatInstant));
  object.close();
}

drogon::HttpResponsePtr acceptedResponse(const jobs::Job& job) {
  std::string body;
  appendJob(body, job);
  auto response = jsonResponse(std::move(body), drogon::k202Accepted);
  response->addHeader("Location", std::format("/api/jobs/{}", job.id));
  return response;
}

}  // namespace auth_errors::controllers
