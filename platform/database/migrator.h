// Applies numbered SQL files (NNNN_name.sql) to the schema. Runs on the client's loop. Migrators
// may run concurrently: each file is applied once, in its own transaction, under an advisory lock,
// and is recorded with its checksum. A file that begins with the line "-- migrate: outside a
// transaction" has one statement that runs without a transaction block; it must be idempotent,
// because it is repeated after an interruption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/database/types.h"

namespace auth_errors::database {

// The files, or the files and the database, are inconsistent; nothing was changed.
class MigrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Migration {
  std::int32_t version = 0;
  std::string name;
  std::string checksum;  // SHA-256 of the file's bytes, in hex
  std::string sql;
  bool outsideTransaction = false;
};

struct MigrationReport {
  std::vector<std::int32_t> applied;  // by this call
  std::int32_t version = 0;           // the newest one known to this binary
  // Applied by a newer binary: allowed, so that versions can run side by side during an upgrade.
  std::vector<std::int32_t> unknownNewer;
};

struct MigrationState {
  std::size_t pending = 0;
  std::vector<std::int32_t> unknownNewer;
};

// Sorted by version. Throws MigrationError for an unreadable folder or file, an invalid name, or a
// missing or duplicate number.
std::vector<Migration> readMigrations(const std::filesystem::path& folder);

drogon::Task<MigrationReport> migrate(Client& client, std::filesystem::path folder,
                                      Deadline deadline);

// Read-only. Throws MigrationError where migrate() would.
drogon::Task<MigrationState> migrationState(Client& client, std::vector<Migration> known,
                                            Deadline deadline);
drogon::Task<MigrationState> migrationState(Client& client, std::filesystem::path folder,
                                            Deadline deadline);

}  // namespace auth_errors::database
