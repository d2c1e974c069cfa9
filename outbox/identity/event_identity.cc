#include "outbox/identity/event_identity.h"

namespace auth_errors::outbox {

database::Parameters identityParameters(const std::vector<EventIdentity>& events) {
  return database::columns(events, &EventIdentity::outboxId, &EventIdentity::eventId,
                           &EventIdentity::messageId, &EventIdentity::eventType,
                           &EventIdentity::authErrorId, &EventIdentity::installationId);
}

}  // namespace auth_errors::outbox
