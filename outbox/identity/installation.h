// The id of the installation that the database belongs to: messages carry it, to distinguish
// installations that share the broker's queues by mistake.
#pragma once

#include <string_view>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "platform/database/client.h"

namespace auth_errors::outbox {

// SQL for the id as text.
inline constexpr std::string_view kInstallationId = "(SELECT i.id::text FROM installation i)";

drogon::Task<domain::InstallationId> readInstallation(database::Client& client,
                                                      database::Deadline deadline);

// For a clone of another database: returns the new id, which takes effect immediately.
drogon::Task<domain::InstallationId> renewInstallation(database::Client& client,
                                                       database::Deadline deadline);

}  // namespace auth_errors::outbox
