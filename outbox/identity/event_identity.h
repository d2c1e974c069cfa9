// Identifies the event of a message and of a ledger row. An outbox id is not sufficient: after a
// restore or a failover the sequence assigns it again, while the broker still has messages of the
// earlier event. docs/delivery.md lists every combination.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/parameters.h"

namespace auth_errors::outbox {

// The identity stated by a message. Everything in it is valid UTF-8 without NUL.
struct EventIdentity {
  domain::OutboxId outboxId;
  std::optional<domain::EventId> eventId;                // messages of older versions have none
  std::optional<domain::InstallationId> installationId;  // likewise, but any text
  std::string messageId;
  std::string eventType;
  domain::ErrorId authErrorId;

  bool operator==(const EventIdentity&) const = default;
};

// The values of kGivenEvents' parameters, which a Statement lists as kIdentityParameters.
database::Parameters identityParameters(const std::vector<EventIdentity>& events);
inline constexpr std::string_view kIdentityParameters =
    "given_outbox_ids given_event_ids given_message_ids given_event_types given_aggregate_ids "
    "given_installation_ids";
// The events as rows; `place` counts from 1.
inline constexpr std::string_view kGivenEvents =
    R"(unnest($given_outbox_ids::bigint[], $given_event_ids::text[], $given_message_ids::text[],
           $given_event_types::text[], $given_aggregate_ids::bigint[],
           $given_installation_ids::text[])
    WITH ORDINALITY
    AS given (outbox_id, event_id, message_id, event_type, aggregate_id, installation_id, place))";

// Whether the message `given` belongs to another installation. A message without an installation id
// counts as ours.
inline constexpr std::string_view kIsElsewhere =
    "coalesce(given.installation_id <> (SELECT i.id::text FROM installation i), false)";

// Whether the message `given` is the event of the outbox row `m`. Without an event id, as sent by
// older versions, its message id must be the row's key. A row without an event id, also of an older
// version, is never the event of a message that has one: that was published by a database which had
// the id.
inline constexpr std::string_view kIsEvent =
    R"((m.event_type = given.event_type AND m.aggregate_id = given.aggregate_id
     AND CASE WHEN given.event_id IS NULL THEN m.idempotency_key = given.message_id
              ELSE coalesce(m.event_id = given.event_id::uuid, false) END))";

// Whether the row `row`, of the ledger or of the dead letters, belongs to an event other than the
// one that the outbox now has under its id. A row of an older version does not record its event; it
// belongs to another event if it is older than the event.
inline std::string isStale(std::string_view row, std::string_view eventId = "m.event_id",
                           std::string_view createdAt = "m.created_at") {
  std::string sql("(CASE WHEN ");
  sql.append(row).append(".event_id IS NULL THEN ");
  sql.append(row).append(".created_at < ").append(createdAt);
  sql.append(" ELSE ").append(row).append(".event_id IS DISTINCT FROM ").append(eventId);
  return sql.append(" END)");
}

// The same for the ledger row `p` in the ON CONFLICT clause of an INSERT; reads the outbox row only
// if the ids do not decide.
inline std::string isStaleOnConflict() {
  return isStale("p", "excluded.event_id",
                 "(SELECT m.created_at FROM outbox_message m WHERE m.id = p.outbox_id)");
}

}  // namespace auth_errors::outbox
