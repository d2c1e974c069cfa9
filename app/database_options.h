// Converts settings to options of the database layer. A pure function.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "app/settings.h"
#include "platform/database/client.h"

namespace auth_errors::app {

// For all migrations of one run together; a large table may take long.
inline constexpr std::chrono::hours kMigrationDeadline{6};

// `part` identifies the connections in pg_stat_activity and in the log.
inline database::ClientOptions databaseOptions(const Settings& settings, const std::string& part,
                                               std::size_t connections = 1) {
  database::ClientOptions options;
  options.connections = connections;
  options.url = settings.database.url;
  options.applicationName = "auth-errors " + part;
  options.connectTimeout = settings.database.connectTimeout;
  options.statementTimeout = settings.database.statementTimeout;
  options.queueLimit = settings.database.queueLimit;
  return options;
}

}  // namespace auth_errors::app
