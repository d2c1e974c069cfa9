#include "controllers/clusters/cluster_actions_controller.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/errors/decision_body.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "controllers/jobs/job_json.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"
#include "domain/values/names.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using clusters::ClusterRefusal;
using clusters::ClusterStanding;
using domain::ClusterEvent;

constexpr std::string_view kStateField = "state";
constexpr std::string_view kUntilField = "until";
constexpr std::string_view kCountField = "count";
constexpr std::int64_t kMaxMuteCount = 1'000'000'000;

// The events that a client may request, by the resulting state.
constexpr std::array<std::pair<ClusterEvent, std::string_view>, 3> kStatesToSet = [] {
  const auto row = [](ClusterEvent event) {
    return std::pair{event, domain::toText(domain::targetOf(event))};
  };
  return std::array{row(ClusterEvent::reopened), row(ClusterEvent::resolved),
                    row(ClusterEvent::ignored)};
}();

Refusal clusterRefusal(const ClusterRefusal& refused) {
  switch (refused.reason) {
    case ClusterRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case ClusterRefusal::Reason::merged:
      return {.reason = RejectReason::conflict,
              .details = {.detail = std::format("The cluster was merged into cluster {}.",
                                                *refused.mergedInto),
                          .currentStatus = std::string(domain::kMergedState)}};
    case ClusterRefusal::Reason::sameState:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The cluster is already in this state.",
                          .currentStatus = refused.currentState->text()}};
    case ClusterRefusal::Reason::untilOutOfRange:
      return {.reason = RejectReason::invalidFields,
              .details = {.errors = {{.field = std::string(kUntilField),
                                      .code = "out_of_range",
                                      .message = "must be in the future, at most a year ahead"}}}};
  }
  std::unreachable();
}

drogon::HttpResponsePtr refuse(const Call& call, const domain::OutageOr<ClusterRefusal>& failure) {
  return call.reject(
      refusalFor(failure, {.outcomeUnknown = "Read the cluster to see whether it has changed."},
                 clusterRefusal));
}

std::string toJson(const ClusterStanding& standing) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("clusterId", standing.clusterId);
  object.write(kStateField, standing.state.text());
  object.write("stateChangedAt", standing.stateChangedAt);
  object.write("stateChangedBy", standing.stateChangedBy);
  object.write("stateNote", standing.stateNote);
  object.write("mutedUntil", standing.mutedUntil);
  object.write("mutedUntilCount", standing.mutedUntilCount);
  object.write("mutedBy", standing.mutedBy);
  object.close();
  return body;
}

drogon::HttpResponsePtr answer(const Call& call,
                               const clusters::ClusterStore::Answer<ClusterStanding>& standing) {
  return standing ? jsonResponse(toJson(*standing)) : refuse(call, standing.error());
}

using Problems = std::vector<domain::FieldProblem>;

// Reads a change of state from the body; readMute() does the same for a mute.
std::expected<clusters::NewState, Problems> readState(FieldReader& reader) {
  clusters::NewState change;
  const auto state = reader.text(kStateField);
  change.note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints);
  Problems problems = reader.takeProblems();
  if (const auto event = domain::named(kStatesToSet, state.value_or(""))) {
    change.event = *event;
  } else if (!std::ranges::contains(problems, kStateField, &domain::FieldProblem::field)) {
    problems.push_back({.field = kStateField,
                        .code = state ? "invalid" : "required",
                        .message = "must be OPEN, RESOLVED or IGNORED"});
  }
  problems.append_range(reader.unknownFieldProblems({kStateField, kNoteField}));
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return change;
}

std::expected<clusters::NewMute, Problems> readMute(FieldReader& reader) {
  clusters::NewMute mute;
  const auto until = reader.text(kUntilField);
  mute.count = reader.integer(kCountField);
  Problems problems = reader.takeProblems();
  if (until) {
    mute.until = domain::parseInstant(*until);
    if (!mute.until) {
      problems.push_back({.field = kUntilField,
                          .code = "invalid",
                          .message = "must be an ISO-8601 instant with Z or an offset"});
    }
  }
  if (mute.count && (*mute.count < 1 || *mute.count > kMaxMuteCount)) {
    problems.push_back({.field = kCountField,
                        .code = "out_of_range",
                        .message = std::format("must be from 1 to {}", kMaxMuteCount)});
  }
  if (problems.empty() && until.has_value() == mute.count.has_value()) {
    problems.push_back({.field = until ? kCountField : kUntilField,
                        .code = until ? "not_allowed" : "required",
                        .message = "exactly one of until and count must be given"});
  }
  problems.append_range(reader.unknownFieldProblems({kUntilField, kCountField}));
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return mute;
}

// Parses the body as an object and passes it to `read`.
template <typename T>
std::expected<T, Refusal> decode(std::string_view text,
                                 std::expected<T, Problems> (*read)(FieldReader&)) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  return read(reader).transform_error(
      [](const Problems& problems) { return invalidFields(problems); });
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> ClusterActionsController::decide(Call call) {
  auto body = decodeDecision(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const auto job = co_await stores_.local().decide({.clusterId = call.id<domain::ClusterId>(),
                                                    .type = body->type,
                                                    .note = std::move(body->note),
                                                    .decidedBy = call.actor(),
                                                    .traceparent = call.traceparent()},
                                                   call.deadline());
  if (!job) {
    co_return refuse(call, job.error());
  }
  onJob_();
  co_return acceptedResponse(*job);
}

drogon::Task<drogon::HttpResponsePtr> ClusterActionsController::changeState(Call call) {
  auto change = decode(call.body(), readState);
  if (!change) {
    co_return call.reject(change.error());
  }
  change->clusterId = call.id<domain::ClusterId>();
  change->changedBy = call.actor();
  co_return answer(call, co_await stores_.local().changeState(*std::move(change), call.deadline()));
}

drogon::Task<drogon::HttpResponsePtr> ClusterActionsController::mute(Call call) {
  auto mute = decode(call.body(), readMute);
  if (!mute) {
    co_return call.reject(mute.error());
  }
  mute->clusterId = call.id<domain::ClusterId>();
  mute->mutedBy = call.actor();
  co_return answer(call, co_await stores_.local().mute(*std::move(mute), call.deadline()));
}

drogon::Task<drogon::HttpResponsePtr> ClusterActionsController::unmute(Call call) {
  co_return answer(call,
                   co_await stores_.local().unmute(call.id<domain::ClusterId>(), call.deadline()));
}

}  // namespace auth_errors::controllers
