// The clients of one loop for what people ask, each with connections of its own: however many
// searches look through whole tables, a row is still shown and an action still done at once.
#pragma once

#include "platform/database/client.h"

namespace auth_errors::database {

struct Clients {
  // One for all.
  Clients(Client& client) : lookups(client), searches(client), actions(client) {}
  Clients(Client& ofLookups, Client& ofSearches, Client& ofActions)
      : lookups(ofLookups), searches(ofSearches), actions(ofActions) {}

  Client& lookups;   // what an index leads to
  Client& searches;  // what may look through many rows
  Client& actions;   // what changes something
};

}  // namespace auth_errors::database
