// The event that a message stands for, and the event that a ledger row belongs to. An outbox id
// alone identifies nothing: after a restore or a failover the sequence gives it out again, while
// the broker still holds messages of the event that had it before. docs/delivery.md has every
// combination.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/parameters.h"

namespace auth_errors::outbox {

// What a message says of itself. Everything in it is valid UTF-8 without NUL.
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

// The message `given` names another installation than this one. Without a name it counts as ours.
inline constexpr std::string_view kIsElsewhere =
    "coalesce(given.installation_id <> (SELECT i.id::text FROM installation i), false)";

// The message `given` is the event of the outbox row `m`. Without an event id, which older versions
// do not send, its message id must be the row's key. A row without one, of an older version too, is
// never the event of a message that has one: that was published by a database which knew it.
inline constexpr std::string_view kIsEvent =
    R"((m.event_type = given.event_type AND m.aggregate_id = given.aggregate_id
     AND CASE WHEN given.event_id IS NULL THEN m.idempotency_key = given.message_id
              ELSE coalesce(m.event_id = given.event_id::uuid, false) END))";

// The row `row`, of the ledger or of the dead letters, belongs to another event than the one that
// the outbox has under its id now. A row of an older version does not say whose it is; it is
// another event's if it is older than the event.
inline std::string isStale(std::string_view row, std::string_view eventId = "m.event_id",
                           std::string_view createdAt = "m.created_at") {
  std::string sql("(CASE WHEN ");
  sql.append(row).append(".event_id IS NULL THEN ");
  sql.append(row).append(".created_at < ").append(createdAt);
  sql.append(" ELSE ").append(row).append(".event_id IS DISTINCT FROM ").append(eventId);
  return sql.append(" END)");
}

// The same of the ledger's row `p` that an INSERT has met; the outbox row is only looked up where
// the ids do not tell.
inline std::string isStaleOnConflict() {
  return isStale("p", "excluded.event_id",
                 "(SELECT m.created_at FROM outbox_message m WHERE m.id = p.outbox_id)");
}

}  // namespace auth_errors::outbox
