#include "outbox/identity/event_identity.h"

#include <type_traits>

namespace auth_errors::outbox {

void addIdentities(database::Parameters& parameters, const std::vector<EventIdentity>& events) {
  const auto column = [&events](auto member) {
    std::vector<std::remove_cvref_t<decltype(EventIdentity{}.*member)>> values;
    values.reserve(events.size());
    for (const EventIdentity& event : events) {
      values.push_back(event.*member);
    }
    return values;
  };
  parameters.addArray(column(&EventIdentity::outboxId))
      .addArray(column(&EventIdentity::eventId))
      .addArray(column(&EventIdentity::messageId))
      .addArray(column(&EventIdentity::eventType))
      .addArray(column(&EventIdentity::authErrorId))
      .addArray(column(&EventIdentity::installationId));
}

}  // namespace auth_errors::outbox
