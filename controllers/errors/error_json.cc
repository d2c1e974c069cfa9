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
  object.number("authErrorId", error.id);
  object.text("status", error.status.text());
  object.text(domain::kOccurredAtField, domain::formatInstant(error.occurredAt));
  object.text("receivedAt", domain::formatInstant(error.receivedAt));
  object.number(domain::kHttpStatusField, error.httpStatus);
  for (const domain::TextRule& rule : domain::kTextRules) {
    if (full || triage::inSummary(rule.field)) {
      object.textOrNull(rule.name, error.texts.at(static_cast<std::size_t>(rule.field)));
    }
  }
  object.textOrNull("stackHash", error.stackHash);
  if (full) {
    for (const auto& [kind, name] : kPseudonymNames) {
      object.textOrNull(name, error.pseudonyms.at(static_cast<std::size_t>(kind)));
    }
    object.json("redactions", error.redactions);
    object.text("statusChangedAt", domain::formatInstant(error.statusChangedAt));
    object.number("retryCount", error.retryCount);
    object.textOrNull("nextRetryAt", error.nextRetryAt.transform(domain::formatInstant));
  }
}

void textIfAny(encoding::JsonObjectWriter& object, std::string_view name,
               const std::optional<std::string>& value) {
  if (value) {
    object.text(name, *value);
  }
}

void appendStep(std::string& out, const triage::JourneyStep& step) {
  encoding::JsonObjectWriter object(out);
  object.text("step", step.step);
  object.text("at", domain::formatInstant(step.at));
  textIfAny(object, "by", step.by);
  textIfAny(object, "event", step.event);
  if (step.attempt) {
    object.number("attempt", *step.attempt);
  }
  textIfAny(object, "error", step.error);
  textIfAny(object, "cause", step.cause);
  textIfAny(object, "from", step.from);
  textIfAny(object, "to", step.to);
  textIfAny(object, "type", step.type);
  textIfAny(object, "note", step.note);
  if (step.jobId) {
    object.number("jobId", *step.jobId);
  }
  object.close();
}

void appendName(std::string& out, const clusters::ClusterName& cluster) {
  encoding::JsonObjectWriter object(out);
  object.number("clusterId", cluster.id);
  object.text("title", cluster.title);
  object.text("state", cluster.state);
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
  object.textOrNull("traceparent", journey.traceparent);
  object.json("journey", encoding::jsonArray(journey.steps, appendStep));
  object.json("clusters", encoding::jsonArray(clusters, appendName));
  object.close();
}

}  // namespace auth_errors::controllers
