// Which installation the database is: messages carry its id, so that those of another one that
// shares the broker's queues by mistake are told apart.
#pragma once

#include <string_view>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "platform/database/client.h"

namespace auth_errors::outbox {

// The id as text, in a statement.
inline constexpr std::string_view kInstallationId = "(SELECT i.id::text FROM installation i)";

drogon::Task<domain::InstallationId> readInstallation(database::Client& client,
                                                      database::Deadline deadline);

// For a clone of another database: returns the new id, which counts at once.
drogon::Task<domain::InstallationId> renewInstallation(database::Client& client,
                                                       database::Deadline deadline);

}  // namespace auth_errors::outbox
