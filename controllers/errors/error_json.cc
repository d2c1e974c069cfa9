#include "controllers/errors/error_json.h"

#include <array>
#include <string_view>
#include <utility>

#include "domain/errors/submission.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using domain::ActorKind;

constexpr std::array<std::pair<ActorKind, std::string_view>, domain::kActorKindCount>
    kPseudonymNames{{
        {ActorKind::user, "userPseudonym"},
        {ActorKind::session, "sessionPseudonym"},
        {ActorKind::clientIp, "clientIpPseudonym"},
    }};

void appendMembers(encoding::JsonObjectWriter& object, const triage::StoredAuthError& error,
                   triage::Extent extent) {
  const bool full = extent == triage::Extent::full;
  object.write("authErrorId", error.id);
  object.write("status", error.status.text());
  object.write(domain::kOccurredAtField, error.occurredAt);
  object.write("receivedAt", error.receivedAt);
  object.write(domain::kHttpStatusField, error.httpStatus);
  for (const domain::TextRule& rule : domain::kTextRules) {
    if (full || triage::inSummary(rule.field)) {
      object.write(rule.name, error.texts.at(static_cast<std::size_t>(rule.field)));
    }
  }
  object.write("stackHash", error.stackHash);
  if (full) {
    for (const auto& [kind, name] : kPseudonymNames) {
      object.write(name, error.pseudonyms.at(static_cast<std::size_t>(kind)));
    }
    object.write("redactions", encoding::JsonText(error.redactions));
    object.write("statusChangedAt", error.statusChangedAt);
    object.write("retryCount", error.retryCount);
    object.write("nextRetryAt", error.nextRetryAt);
  }
}

void appendStep(std::string& out, const triage::JourneyStep& step) {
  encoding::JsonObjectWriter object(out);
  object.write("step", step.step);
  object.write("at", step.at);
  object.writeIfAny("by", step.by);
  object.writeIfAny("event", step.event);
  object.writeIfAny("attempt", step.attempt);
  object.writeIfAny("error", step.error);
  object.writeIfAny("cause", step.cause);
  object.writeIfAny("from", step.from);
  object.writeIfAny("to", step.to);
  object.writeIfAny("type", step.type);
  object.writeIfAny("note", step.note);
  object.writeIfAny("jobId", step.jobId);
  object.close();
}

void appendName(std::string& out, const clusters::ClusterName& cluster) {
  encoding::JsonObjectWriter object(out);
  object.write("clusterId", cluster.id);
  object.write("title", cluster.title);
  object.write("state", cluster.state);
  object.close();
}

}  // namespace

void appendJson(std::string& out, const triage::StoredAuthError& error, triage::Extent extent) {
  encoding::JsonObjectWriter object(out);
  appendMembers(object, error, extent);
  object.close();
}

void appendJson(std::string& out, const triage::StoredAuthError& error,
                const triage::Journey& journey,
                const std::vector<clusters::ClusterName>& clusters) {
  encoding::JsonObjectWriter object(out);
  appendMembers(object, error, triage::Extent::full);
  object.write("traceparent", journey.traceparent);
  object.write("journey", encoding::jsonArray(journey.steps, appendStep));
  object.write("clusters", encoding::jsonArray(clusters, appendName));
  object.close();
}

}  // namespace auth_errors::controllers
