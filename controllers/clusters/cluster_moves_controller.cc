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

#include "controllers/errors/error_intake.h"
#include "controllers/errors/match_json.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/jobs/job_json.h"
#include "domain/clusters/cluster.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"
#include "domain/stack/stack_hash.h"
#include "domain/values/instant.h"
#include "platform/encoding/json_reader.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using clusters::MoveRefusal;

constexpr std::string_view kIntoField = "into";
constexpr std::string_view kTitleField = "title";
constexpr std::string_view kHashesField = "stackHashes";
constexpr std::size_t kHashLength = 64;
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
         .message = std::format("{} does not lead to this cluster", hash)});
  }
  return refusal;
}

Refusal moveRefusal(const MoveRefusal& refused) {
  switch (refused.reason) {
    case MoveRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case MoveRefusal::Reason::targetUnknown:
      return {.reason = RejectReason::notFound,
              .details = {.detail = "There is no cluster to merge into."}};
    case MoveRefusal::Reason::mergedAway:
      return {.reason = RejectReason::conflict,
              .details = {.detail = std::format("Cluster {} was merged into cluster {}.",
                                                refused.clusterId, refused.mergedInto),
                          .currentStatus = std::string(domain::kMergedState)}};
    case MoveRefusal::Reason::sameCluster:
      return invalid(kIntoField, "invalid", "must be another cluster");
    case MoveRefusal::Reason::beingDecided:
      return {.reason = RejectReason::clusterBusy,
              .details = {.detail = "A job decides on the cluster's errors; wait for it, or cancel "
                                    "it."}};
    case MoveRefusal::Reason::foreignHashes:
      return foreignHashes(refused.stackHashes);
    case MoveRefusal::Reason::allHashes:
      return invalid(kHashesField, "not_allowed", "must leave at least one hash to the cluster");
    case MoveRefusal::Reason::nothingToMove:
      return {.reason = RejectReason::splitMovesNothing, .details = {}};
    case MoveRefusal::Reason::nothingToStay:
      return {.reason = RejectReason::splitMovesEverything, .details = {}};
  }
  std::unreachable();
}

drogon::HttpResponsePtr refuse(const Call& call, const domain::OutageOr<MoveRefusal>& failure) {
  constexpr OutageAdvice kMoveAdvice{
      .outcomeUnknown = "Read the cluster and its jobs to see whether it was done.",
      .tooSlow = "The cluster's errors could not be counted in time."};
  return call.reject(refusalFor(failure, kMoveAdvice, moveRefusal));
}

using FieldErrors = std::vector<FieldError>;

std::expected<Json::Value, Refusal> readBody(std::string_view text) {
  auto body = encoding::readJsonObject(text);
  if (!body) {
    return std::unexpected(
        Refusal{.reason = RejectReason::malformedJson, .details = {.detail = body.error()}});
  }
  return *std::move(body);
}

// The reader's own problems, and those that its caller has found beside them.
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

Refusal invalidFields(FieldErrors problems) {
  return {.reason = RejectReason::invalidFields, .details = {.errors = std::move(problems)}};
}

struct MergeBody {
  domain::ClusterId into;
  std::optional<std::string> note;
};

std::expected<MergeBody, Refusal> decodeMerge(std::string_view text) {
  const auto body = readBody(text);
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

bool isStackHash(std::string_view text) {
  return text.size() == kHashLength && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Sorted, each one once.
std::vector<std::string> readHashes(std::vector<std::string> hashes, FieldErrors& problems) {
  std::ranges::sort(hashes);
  const auto [again, end] = std::ranges::unique(hashes);
  hashes.erase(again, end);
  if (hashes.empty() || hashes.size() > kMaxHashes) {
    problems.push_back({.field = std::string(kHashesField),
                        .code = "out_of_range",
                        .message = std::format("must have 1 to {} hashes", kMaxHashes)});
  } else if (!std::ranges::all_of(hashes, isStackHash)) {
    problems.push_back({.field = std::string(kHashesField),
                        .code = "invalid",
                        .message = "must be hashes of 64 hexadecimal digits in lower case"});
  }
  return hashes;
}

struct SplitBody {
  clusters::SplitChoice choice;
  std::optional<std::string> note;
};

std::expected<SplitBody, Refusal> decodeSplit(std::string_view text) {
  const auto body = readBody(text);
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
                       .message = "must not be given together with stackHashes"});
  } else if (hashes) {
    split.choice.stackHashes = readHashes(*std::move(hashes), further);
  } else if (match != nullptr) {
    split.choice.match = readMatch(*match, further);
    if (split.choice.match.clusterId) {
      further.push_back({.field = std::string(kMatchClusterField),
                         .code = "not_allowed",
                         .message = "must not be given: the cluster is the one that is split"});
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

std::string arrayJson(const std::vector<std::string>& texts) {
  return encoding::jsonArray(texts, encoding::appendQuoted);
}

std::string toJson(const clusters::ClusterInMerge& cluster) {
  std::string text;
  encoding::JsonObjectWriter object(text);
  object.number("clusterId", cluster.id);
  object.text(kTitleField, cluster.title);
  object.text("state", cluster.state);
  object.number("errorCount", cluster.errorCount);
  object.close();
  return text;
}

std::string toJson(const clusters::MergePreview& preview) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.json("source", toJson(preview.source));
  object.json("target", toJson(preview.target));
  object.number("movingErrors", preview.movingErrors);
  object.number("errorsInBoth", preview.errorsInBoth);
  object.number("resultingErrors", preview.target.errorCount + preview.movingErrors);
  object.json("servicesGained", arrayJson(preview.servicesGained));
  object.json("environmentsGained", arrayJson(preview.environmentsGained));
  object.number("stackHashCount", preview.stackHashCount);
  object.json(kHashesField, arrayJson(preview.stackHashes));
  object.close();
  return body;
}

std::string toJson(const clusters::SplitPreview& preview) {
  std::string samples = "[";
  for (const clusters::MovingError& error : preview.samples) {
    samples += samples.size() > 1 ? "," : "";
    encoding::JsonObjectWriter object(samples);
    object.number("authErrorId", error.id);
    object.text("exceptionClass", error.exceptionClass);
    object.textOrNull("exceptionMessage", error.exceptionMessage);
    object.textOrNull("serviceName", error.serviceName);
    object.textOrNull("environment", error.environment);
    object.text("occurredAt", domain::formatInstant(error.occurredAt));
    object.close();
  }
  samples += "]";
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.text(kTitleField, preview.title);
  object.number("movingErrors", preview.movingErrors);
  object.number("stayingErrors", preview.stayingErrors);
  object.json("services", arrayJson(preview.services));
  object.json("environments", arrayJson(preview.environments));
  object.json("samples", samples);
  object.close();
  return body;
}

std::string toJson(const clusters::SplitMade& made) {
  std::string job;
  appendJob(job, made.job);
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.number("clusterId", made.clusterId);
  object.text(kTitleField, made.title);
  object.json("job", job);
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
