#include "database/migrator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <openssl/evp.h>

#include "telemetry/log.h"

namespace auth_errors::database {
namespace {

struct Applied {
  std::int32_t version;
  std::string name;
  std::string checksum;
};

// Any constant does, as long as every version of the service uses the same one.
constexpr std::int64_t kLockKey = 0x617574682d657272;  // "auth-err"

const Statement kLock{"", "SELECT pg_advisory_xact_lock($1)"};

// Waiting for another migrator, or for a long index build, is bounded by our own deadline alone.
constexpr auto kWaitForLock = "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0";
// The migration's own locks keep the session's limit, so that it never blocks the traffic for long.
constexpr auto kLimitLocks = "SET LOCAL lock_timeout TO DEFAULT";

constexpr auto kCreateTable = R"(
  CREATE TABLE IF NOT EXISTS schema_migration (
    version integer PRIMARY KEY CHECK (version > 0),
    name text NOT NULL,
    checksum text NOT NULL CHECK (checksum ~ '^[0-9a-f]{64}$'),
    applied_at timestamptz NOT NULL DEFAULT now()
  ))";

const Statement kTableExists{"", "SELECT to_regclass('schema_migration') IS NOT NULL"};

const Statement kReadApplied{"", "SELECT version, name, checksum FROM schema_migration ORDER BY 1"};

const Statement kRecord{
    "", "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)"};

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  std::string hex;
  for (unsigned int index = 0; index < size; ++index) {
    hex += std::format("{:02x}", digest[index]);
  }
  return hex;
}

// The number and the name of 0001_name.sql; nothing if it is named otherwise.
std::optional<std::pair<std::int32_t, std::string>> parseFileName(std::string_view file) {
  constexpr std::size_t kDigits = 4;
  constexpr std::string_view kExtension = ".sql";
  std::int32_t version = 0;
  const auto number = file.substr(0, kDigits);
  const auto [end, failure] = std::from_chars(number.begin(), number.end(), version);
  if (failure != std::errc() || end != number.end() || file.size() <= kDigits ||
      file[kDigits] != '_') {
    return std::nullopt;
  }
  file.remove_prefix(kDigits + 1);
  file.remove_suffix(kExtension.size());
  const bool plain = std::ranges::all_of(file, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  if (version <= 0 || file.empty() || !plain) {
    return std::nullopt;
  }
  return std::pair(version, std::string(file));
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) {
    throw MigrationError(std::format("migration {} can't be read", path.filename().string()));
  }
  return text;
}

std::vector<Applied> toApplied(const Result& result) {
  std::vector<Applied> applied;
  for (std::size_t row = 0; row < result.rows(); ++row) {
    applied.push_back({.version = result.value<std::int32_t>(row, 0),
                       .name = result.value<std::string>(row, 1),
                       .checksum = result.value<std::string>(row, 2)});
  }
  return applied;
}

// The versions only the database knows. Throws if it and the files contradict each other.
std::vector<std::int32_t> compare(const std::vector<Migration>& known,
                                  const std::vector<Applied>& applied) {
  std::vector<std::int32_t> unknownNewer;
  const std::int32_t newest = known.empty() ? 0 : known.back().version;
  std::int32_t expected = 1;
  for (const auto& row : applied) {
    if (row.version != expected) {
      throw MigrationError(std::format(
          "migration {} is not applied to the database although a later one is", expected));
    }
    ++expected;
    if (row.version > newest) {
      unknownNewer.push_back(row.version);
      continue;
    }
    const Migration& file = known[static_cast<std::size_t>(row.version) - 1];
    if (file.checksum != row.checksum) {
      throw MigrationError(std::format(
          "migration {} ({}) was changed after it had been applied: the database has checksum {}, "
          "the file {}",
          row.version, file.name, row.checksum, file.checksum));
    }
  }
  return unknownNewer;
}

// Applies the first pending one. Nothing if none is left.
drogon::Task<std::optional<std::int32_t>> applyNext(Client& client,
                                                    const std::vector<Migration>& known,
                                                    MigrationReport& report, Deadline deadline) {
  Transaction transaction = co_await client.begin(deadline);
  co_await transaction.script(kWaitForLock, deadline);
  co_await transaction.run(kLock, Parameters().add(kLockKey), deadline);
  co_await transaction.script(kLimitLocks, deadline);
  co_await transaction.script(kCreateTable, deadline);
  const auto applied = toApplied(co_await transaction.run(kReadApplied, {}, deadline));
  report.unknownNewer = compare(known, applied);
  if (applied.size() >= known.size()) {
    co_await transaction.commit(deadline);
    co_return std::nullopt;
  }
  const Migration& next = known[applied.size()];
  co_await transaction.script(next.sql, deadline);
  co_await transaction.run(
      kRecord, Parameters().add(next.version).add(next.name).add(next.checksum), deadline);
  co_await transaction.commit(deadline);
  telemetry::log(telemetry::LogLevel::info, "database.migration_applied",
                 {{"version", next.version}, {"name", next.name}});
  co_return next.version;
}

}  // namespace

std::vector<Migration> readMigrations(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder, failure);
  if (failure) {
    throw MigrationError(std::format("the migrations folder {} can't be read: {}", folder.string(),
                                     failure.message()));
  }
  std::vector<Migration> migrations;
  for (const auto& entry : entries) {
    if (entry.path().extension() != ".sql") {
      continue;
    }
    const std::string file = entry.path().filename().string();
    auto parts = parseFileName(file);
    if (!parts) {
      throw MigrationError(std::format("{} is not named like 0001_name.sql", file));
    }
    Migration& migration = migrations.emplace_back();
    migration.version = parts->first;
    migration.name = std::move(parts->second);
    migration.sql = readFile(entry.path());
    migration.checksum = sha256(migration.sql);
  }
  std::ranges::sort(migrations, {}, &Migration::version);
  for (std::size_t index = 0; index < migrations.size(); ++index) {
    const std::int32_t version = migrations[index].version;
    if (index > 0 && version == migrations[index - 1].version) {
      throw MigrationError(std::format("two migrations have the number {}", version));
    }
    if (version != static_cast<std::int32_t>(index) + 1) {
      throw MigrationError(
          std::format("migration {} is missing from {}", index + 1, folder.string()));
    }
  }
  if (migrations.empty()) {
    throw MigrationError(std::format("the folder {} has no migrations", folder.string()));
  }
  return migrations;
}

drogon::Task<MigrationReport> migrate(Client& client, std::filesystem::path folder,
                                      Deadline deadline) {
  const std::vector<Migration> known = readMigrations(folder);
  MigrationReport report;
  report.version = known.back().version;
  while (true) {
    const auto version = co_await applyNext(client, known, report, deadline);
    if (!version) {
      break;
    }
    report.applied.push_back(*version);
  }
  if (!report.unknownNewer.empty()) {
    telemetry::log(telemetry::LogLevel::warn, "database.schema_is_newer",
                   {{"known", report.version}, {"applied", report.unknownNewer.back()}});
  }
  co_return report;
}

drogon::Task<MigrationState> migrationState(Client& client, std::vector<Migration> known,
                                            Deadline deadline) {
  MigrationState state;
  const Result exists = co_await client.run(kTableExists, {}, deadline);
  if (!exists.value<bool>(0, 0)) {
    state.pending = known.size();
    co_return state;
  }
  const auto applied = toApplied(co_await client.run(kReadApplied, {}, deadline));
  state.unknownNewer = compare(known, applied);
  state.pending = known.size() - std::min(known.size(), applied.size());
  co_return state;
}

drogon::Task<MigrationState> migrationState(Client& client, std::filesystem::path folder,
                                            Deadline deadline) {
  return migrationState(client, readMigrations(folder), deadline);
}

}  // namespace auth_errors::database
