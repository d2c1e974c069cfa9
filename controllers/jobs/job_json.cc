#include "controllers/jobs/job_json.h"

#include <format>
#include <optional>
#include <utility>

#include "controllers/http/json_response.h"
#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {

void appendJob(std::string& out, const jobs::Job& job) {
  const jobs::JobRequest& request = job.request;
  encoding::JsonObjectWriter object(out);
  object.write("jobId", job.id);
  object.write("kind", request.kind.text());
  object.write("status", job.status.text());
  object.write("clusterId", request.clusterId != domain::ClusterId()
                                ? std::optional(request.clusterId)
                                : std::nullopt);
  object.write("targetClusterId", request.targetClusterId);
  object.write("decision",
               request.decision.transform([](const auto& decision) { return decision.text(); }));
  object.write("note", request.note);
  object.write("scrubberVersion", request.scrubVersion);
  object.write("requestedBy", request.requestedBy);
  object.write("total", job.total);
  object.write("examined", job.examined);
  object.write("changed", job.changed);
  object.write("error", job.error);
  object.write("cancelledBy", job.cancelledBy);
  object.write("createdAt", job.createdAt);
  object.write("startedAt", job.startedAt);
  object.write("finishedAt", job.finishedAt);
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
