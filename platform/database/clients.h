// A loop's clients for API requests, each with separate connections: searches that scan whole
// tables do not delay lookups and actions.
#pragma once

#include "platform/database/client.h"

namespace auth_errors::database {

struct Clients {
  // Uses one client for everything.
  Clients(Client& client) : lookups(client), searches(client), actions(client) {}
  Clients(Client& ofLookups, Client& ofSearches, Client& ofActions)
      : lookups(ofLookups), searches(ofSearches), actions(ofActions) {}

  Client& lookups;   // index lookups
  Client& searches;  // queries that may scan many rows
  Client& actions;   // writes
};

}  // namespace auth_errors::database
