#include "controllers/clusters/cluster_moves_controller.h"

#include <algorithm>
#include <expected>
#include <format>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <json/value.h>

#include "controllers/errors/match_json.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "controllers/jobs/job_json.h"
#include "domain/clusters/cluster.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"
#include "domain/stack/stack_hash.h"
#include "domain/values/hex.h"
#include "domain/values/instant.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using clusters::MoveRefusal;

constexpr std::string_view kIntoField = "into";
constexpr std::string_view kTitleField = "title";
constexpr std::string_view kHashesField = "stackHashes";
constexpr std::size_t kMaxHashes = 1'000;

Refusal invalid(std::string_view field, std::string_view code, std::string message) {
  return {.reason = RejectReason::invalidFields,
          .details = {.errors = {{.field = std::string(field),
                                  .code = std::string(code),
                                  .message = std::move(message)}}}};
}

Refusal foreignHashes(const std::vector<std::string>& hashes) {
  Refusal refusal{.reason = RejectReason::invalidFields, .details = {}};
  for (const std::string& hash : hashes) {
    refusal.details.errors.push_back(
        {.field = std::string(kHashesField),
         .code = "unknown",
         .message = std::format("{} is not routed to this cluster", hash)});
  }
  return refusal;
}

Refusal moveRefusal(const MoveRefusal& refused) {
  switch (refused.reason) {
    case MoveRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case MoveRefusal::Reason::targetUnknown:
      return {.reason = RejectReason::notFound,
              .details = {.detail = "The target cluster does not exist."}};
    case MoveRefusal::Reason::mergedAway:
      return {.reason = RejectReason::conflict,
              .details = {.detail = std::format("Cluster {} was merged into cluster {}.",
                                                refused.clusterId, refused.mergedInto),
                          .currentStatus = std::string(domain::kMergedState)}};
    case MoveRefusal::Reason::sameCluster:
      return invalid(kIntoField, "invalid", "must be another cluster");
    case MoveRefusal::Reason::beingDecided:
      return {
          .reason = RejectReason::clusterBusy,
          .details = {.detail = "A job is deciding on the cluster's errors; wait for it, or cancel "
                                "it."}};
    case MoveRefusal::Reason::foreignHashes:
      return foreignHashes(refused.stackHashes);
    case MoveRefusal::Reason::allHashes:
      return invalid(kHashesField, "not_allowed", "must leave at least one hash in the cluster");
    case MoveRefusal::Reason::nothingToMove:
      return {.reason = RejectReason::splitMovesNothing, .details = {}};
    case MoveRefusal::Reason::nothingToStay:
      return {.reason = RejectReason::splitMovesEverything, .details = {}};
  }
  std::unreachable();
}

drogon::HttpResponsePtr refuse(const Call& call, const domain::OutageOr<MoveRefusal>& failure) {
  constexpr OutageAdvice kMoveAdvice{
      .outcomeUnknown = "Read the cluster and its jobs to see whether the move was accepted.",
      .tooSlow = "The cluster's errors could not be counted in time."};
  return call.reject(refusalFor(failure, kMoveAdvice, moveRefusal));
}

using FieldErrors = std::vector<FieldError>;

// The reader's own problems and those found by its caller.
FieldErrors problemsOf(FieldReader& reader, FieldErrors further,
                       std::initializer_list<std::string_view> knownFields) {
  FieldErrors problems = detailsOf(reader.takeProblems()).errors;
  for (FieldError& problem : further) {
    if (!std::ranges::contains(problems, problem.field, &FieldError::field)) {
      problems.push_back(std::move(problem));
    }
  }
  problems.append_range(detailsOf(reader.unknownFieldProblems(knownFields)).errors);
  return problems;
}

struct MergeBody {
  domain::ClusterId into;
  std::optional<std::string> note;
};

std::expected<MergeBody, Refusal> decodeMerge(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  const auto into = reader.integer(kIntoField);
  MergeBody merge{.into = std::optional<domain::ClusterId>(into).value_or(domain::ClusterId()),
                  .note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints)};
  FieldErrors further;
  if (into.value_or(0) < 1) {
    further.push_back({.field = std::string(kIntoField),
                       .code = into ? "out_of_range" : "required",
                       .message = "must be the id of a cluster"});
  }
  if (FieldErrors problems = problemsOf(reader, std::move(further), {kIntoField, kNoteField});
      !problems.empty()) {
    return std::unexpected(invalidFields(std::move(problems)));
  }
  return merge;
}

// Sorts the hashes and removes duplicates.
std::vector<std::string> readHashes(std::vector<std::string> hashes, FieldErrors& problems) {
  std::ranges::sort(hashes);
  const auto [again, end] = std::ranges::unique(hashes);
  hashes.erase(again, end);
  if (hashes.empty() || hashes.size() > kMaxHashes) {
    problems.push_back({.field = std::string(kHashesField),
                        .code = "out_of_range",
                        .message = std::format("must have 1 to {} hashes", kMaxHashes)});
  } else if (!std::ranges::all_of(hashes, domain::isHash)) {
    problems.push_back({.field = std::string(kHashesField),
                        .code = "invalid",
                        .message = "must be hashes of 64 lowercase hexadecimal digits"});
  }
  return hashes;
}

struct SplitBody {
  clusters::SplitChoice choice;
  std::optional<std::string> note;
};

std::expected<SplitBody, Refusal> decodeSplit(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  auto hashes = reader.texts(kHashesField);
  const Json::Value* const match = reader.object(kMatchField);
  SplitBody split;
  split.choice.title = reader.sanitisedText(kTitleField, domain::kMaxTitleCodePoints);
  split.note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints);
  FieldErrors further;
  if (hashes && match != nullptr) {
    further.push_back({.field = std::string(kMatchField),
                       .code = "not_allowed",
                       .message = "must not be combined with stackHashes"});
  } else if (hashes) {
    split.choice.stackHashes = readHashes(*std::move(hashes), further);
  } else if (match != nullptr) {
    split.choice.match = readMatch(*match, further);
    if (split.choice.match.clusterId) {
      further.push_back(
          {.field = std::string(kMatchClusterField),
           .code = "not_allowed",
           .message = "is not allowed: a split always applies to the cluster in the path"});
    }
  } else if (!body->isMember(std::string(kMatchField)) || (*body)["match"].isNull()) {
    further.push_back({.field = std::string(kHashesField),
                       .code = "required",
                       .message = "stackHashes or match is required"});
  }
  if (FieldErrors problems = problemsOf(reader, std::move(further),
                                        {kHashesField, kMatchField, kTitleField, kNoteField});
      !problems.empty()) {
    return std::unexpected(invalidFields(std::move(problems)));
  }
  return split;
}

encoding::JsonText clusterJson(const clusters::ClusterInMerge& cluster) {
  return encoding::jsonObject([&cluster](encoding::JsonObjectWriter& object) {
    object.write("clusterId", cluster.id);
    object.write(kTitleField, cluster.title);
    object.write("state", cluster.state);
    object.write("errorCount", cluster.errorCount);
  });
}

std::string toJson(const clusters::MergePreview& preview) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("source", clusterJson(preview.source));
  object.write("target", clusterJson(preview.target));
  object.write("movingErrors", preview.movingErrors);
  object.write("errorsInBoth", preview.errorsInBoth);
  object.write("resultingErrors", preview.target.errorCount + preview.movingErrors);
  object.write("servicesGained", encoding::jsonArray(preview.servicesGained));
  object.write("environmentsGained", encoding::jsonArray(preview.environmentsGained));
  object.write("stackHashCount", preview.stackHashCount);
  object.write(kHashesField, encoding::jsonArray(preview.stackHashes));
  object.close();
  return body;
}

void appendSample(std::string& out, const clusters::MovingError& error) {
  encoding::JsonObjectWriter object(out);
  object.write("authErrorId", error.id);
  object.write("exceptionClass", error.exceptionClass);
  object.write("exceptionMessage", error.exceptionMessage);
  object.write("serviceName", error.serviceName);
  object.write("environment", error.environment);
  object.write("occurredAt", error.occurredAt);
  object.close();
}

std::string toJson(const clusters::SplitPreview& preview) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write(kTitleField, preview.title);
  object.write("movingErrors", preview.movingErrors);
  object.write("stayingErrors", preview.stayingErrors);
  object.write("services", encoding::jsonArray(preview.services));
  object.write("environments", encoding::jsonArray(preview.environments));
  object.write("samples", encoding::jsonArray(preview.samples, appendSample));
  object.close();
  return body;
}

std::string toJson(const clusters::SplitMade& made) {
  encoding::JsonText job;
  appendJob(job.text, made.job);
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("clusterId", made.clusterId);
  object.write(kTitleField, made.title);
  object.write("job", job);
  object.close();
  return body;
}

clusters::MoveOrder orderOf(const Call& call, std::optional<std::string> note) {
  return {.by = call.actor(), .note = std::move(note)};
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> ClusterMovesController::merge(Call call) {
  auto body = decodeMerge(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const auto job =
      co_await stores_.local().merge(call.id<domain::ClusterId>(), body->into,
                                     orderOf(call, std::move(body->note)), call.deadline());
  if (!job) {
    co_return refuse(call, job.error());
  }
  onJob_();
  co_return acceptedResponse(*job);
}

drogon::Task<drogon::HttpResponsePtr> ClusterMovesController::previewMerge(Call call) {
  const auto body = decodeMerge(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const auto preview = co_await stores_.local().previewMerge(call.id<domain::ClusterId>(),
                                                             body->into, call.deadline());
  if (!preview) {
    co_return refuse(call, preview.error());
  }
  co_return jsonResponse(toJson(*preview));
}

drogon::Task<drogon::HttpResponsePtr> ClusterMovesController::split(Call call) {
  auto body = decodeSplit(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const auto made =
      co_await stores_.local().split(call.id<domain::ClusterId>(), std::move(body->choice),
                                     orderOf(call, std::move(body->note)), call.deadline());
  if (!made) {
    co_return refuse(call, made.error());
  }
  onJob_();
  auto response = acceptedResponse(made->job);
  response->setBody(toJson(*made));
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> ClusterMovesController::previewSplit(Call call) {
  auto body = decodeSplit(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const auto preview = co_await stores_.local().previewSplit(
      call.id<domain::ClusterId>(), std::move(body->choice), call.deadline());
  if (!preview) {
    co_return refuse(call, preview.error());
  }
  co_return jsonResponse(toJson(*preview));
}

}  // namespace auth_errors::controllers
