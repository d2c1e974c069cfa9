#include "controllers/error_json.h"

#include <array>
#include <string_view>
#include <utility>

#include "encoding/json_writer.h"
#include "domain/submission.h"

namespace auth_errors::controllers {
namespace {

using domain::ActorKind;

constexpr std::array<std::pair<ActorKind, std::string_view>, domain::kActorKindCount>
    kPseudonymNames{{
        {ActorKind::user, "userPseudonym"},
        {ActorKind::session, "sessionPseudonym"},
        {ActorKind::clientIp, "clientIpPseudonym"},
    }};

}  // namespace

void appendJson(std::string& out, const reading::StoredAuthError& error, reading::Extent extent) {
  const bool full = extent == reading::Extent::full;
  encoding::JsonObjectWriter object(out);
  object.number("authErrorId", error.id);
  object.text("status", domain::toText(error.status));
  object.text(domain::kOccurredAtField, domain::formatInstant(error.occurredAt));
  object.text("receivedAt", domain::formatInstant(error.receivedAt));
  object.number(domain::kHttpStatusField, error.httpStatus);
  for (const domain::TextRule& rule : domain::kTextRules) {
    if (full || reading::inSummary(rule.field)) {
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
  object.close();
}

}  // namespace auth_errors::controllers
