#include "platform/database/migrator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <format>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "domain/values/ascii.h"
#include "domain/values/hex.h"
#include "platform/database/advisory_lock.h"
#include "platform/hashing/digest.h"
#include "platform/telemetry/fault_log.h"
#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"

namespace auth_errors::database {
namespace {

using namespace std::chrono_literals;

struct Applied {
  std::int32_t version;
  std::string name;
  std::string checksum;
};

struct InvalidIndex {
  std::string name;
  bool isCopy;  // left by an interrupted rebuild
};

struct NamedIndex {
  std::string name;
  bool isUnderWay;
};

// The first line of a file whose statement must not run in a transaction block.
constexpr std::string_view kOutsideMark = "-- migrate: outside a transaction";
constexpr std::string_view kLockNotAvailable = "55P03";

// Polled outside of transactions: a waiting transaction would hold a snapshot, for which a
// concurrent index build waits in turn.
constexpr auto kLockPoll = 200ms;

// All other users of a table queue behind a migration that waits for its lock, so it gives up soon
// and retries after a pause. Servers before PostgreSQL 17 have no transaction_timeout.
constexpr auto kLimitInTransaction =
    "SET LOCAL lock_timeout = 1000; SET LOCAL statement_timeout = 0; "
    "SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'";
constexpr auto kLimitInSession =
    "SET lock_timeout = 1000; SET statement_timeout = 0; "
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'";
// A concurrent build waits for others without blocking them; a timeout would waste all its work.
constexpr auto kNoLimitInSession =
    "SET lock_timeout = 0; SET statement_timeout = 0; "
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'";
constexpr auto kRetryPause = 2s;

constexpr auto kCreateTable = R"(
  CREATE TABLE IF NOT EXISTS schema_migration (
    version integer PRIMARY KEY CHECK (version > 0),
    name text NOT NULL,
    checksum text NOT NULL CHECK (checksum ~ '^[0-9a-f]{64}$'),
    applied_at timestamptz NOT NULL DEFAULT now()
  ))";

const Statement kTableExists{.name = "",
                             .sql = "SELECT to_regclass('schema_migration') IS NOT NULL"};

const Statement kReadApplied{
    .name = "", .sql = "SELECT version, name, checksum FROM schema_migration ORDER BY 1"};

const Statement kRecord{
    .name = "",
    .sql = "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)"};

// An index of the same table, or of an unknown one, is being built: builds in sessions of other
// roles are only visible to privileged roles.
constexpr std::string_view kUnderWay = R"(EXISTS (SELECT FROM pg_stat_progress_create_index p
  WHERE p.datname = current_database() AND (p.relid = i.indrelid OR p.relid IS NULL)))";

// Indexes left by an interrupted concurrent build, excluding builds in progress. Copies left by an
// interrupted rebuild come first: they are dropped, not rebuilt.
const Statement kInvalidIndexes{.name = "",
                                .sql = std::format(R"(SELECT format('%I.%I', n.nspname, c.relname),
  c.relname ~ '_ccnew[0-9]*$' AS is_copy
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT i.indisvalid AND c.relkind = 'i' AND n.nspname = current_schema()
  AND c.relname !~ '_ccold[0-9]*$' AND pg_get_userbyid(c.relowner) = current_user AND NOT {}
ORDER BY is_copy DESC, 1)",
                                                   kUnderWay)};

// Invalid indexes named in the text of $1.
const Statement kInvalidNamed{.name = "",
                              .sql = std::format(R"(SELECT format('%I.%I', n.nspname, c.relname), {}
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT i.indisvalid AND c.relkind = 'i' AND n.nspname = current_schema()
  AND c.relname ~ '^[a-z0-9_]+$' AND $1 ~ ('\m' || c.relname || '\M')
ORDER BY 2 DESC, 1)",
                                                 kUnderWay)};

// The number and the name in 0001_name.sql; nothing for any other file name.
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
    return domain::isOf(letter, domain::kLowerChar | domain::kDigitChar) || letter == '_';
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
    throw MigrationError(std::format("cannot read migration {}", path.filename().string()));
  }
  return text;
}

// Returns the versions that only the database knows. Throws if it contradicts the files.
std::vector<std::int32_t> compare(const std::vector<Migration>& known,
                                  const std::vector<Applied>& applied) {
  std::vector<std::int32_t> unknownNewer;
  const std::int32_t newest = known.empty() ? 0 : known.back().version;
  std::int32_t expected = 1;
  for (const auto& row : applied) {
    if (row.version != expected) {
      throw MigrationError(
          std::format("migration {} is not applied although a later one is", expected));
    }
    ++expected;
    if (row.version > newest) {
      unknownNewer.push_back(row.version);
      continue;
    }
    const Migration& file = known[static_cast<std::size_t>(row.version) - 1];
    if (file.checksum != row.checksum) {
      throw MigrationError(
          std::format("migration {} ({}) was changed after it was applied: the checksum is {} in "
                      "the database, {} in the file",
                      row.version, file.name, row.checksum, file.checksum));
    }
  }
  return unknownNewer;
}

bool isConcurrent(std::string_view sql) {
  constexpr std::string_view kConcurrently = "CONCURRENTLY";
  return !std::ranges::search(sql, kConcurrently, {}, domain::toUpper).empty();
}

std::string firstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Another session had the lock or a table; a retry after a pause may succeed.
bool isInTheWay(const Error& error) {
  return error.isConflict() || error.sqlState() == kLockNotAvailable;
}

std::vector<Applied> checked(const Result& rows, const std::vector<Migration>& known,
                             MigrationReport& report) {
  auto applied = rows.as<Applied>();
  report.unknownNewer = compare(known, applied);
  return applied;
}

using IndexFaults = std::map<std::string, Error, std::less<>>;

// Without an index that cannot be rebuilt the schema still works, only slower; an operator must
// look at it. Returns the reason for each such index.
drogon::Task<IndexFaults> rebuildInvalidIndexes(Session& session) {
  IndexFaults faults;
  const Result invalid = co_await session.run(kInvalidIndexes);
  for (const auto& [index, isCopy] : invalid.as<InvalidIndex>()) {
    telemetry::log(telemetry::LogLevel::warn,
                   isCopy ? "database.index_copy_dropped" : "database.invalid_index_rebuilt",
                   {{"index", index}});
    const std::string sql =
        (isCopy ? "DROP INDEX CONCURRENTLY IF EXISTS " : "REINDEX INDEX CONCURRENTLY ") + index;
    co_await session.script(kNoLimitInSession);
    try {
      co_await session.script(sql);
    } catch (const Error& error) {
      if (error.failure() != Failure::statement) {
        throw;
      }
      telemetry::log(telemetry::LogLevel::error, "database.index_stays_invalid",
                     {{"index", index}, {"reason", error.what()}});
      faults.emplace(index, error);
    }
  }
  co_return faults;
}

enum class Step : std::uint8_t {
  applied,
  none,   // nothing left to apply
  retry,  // another migrator has the lock, has applied it meanwhile, or is building its index
};

// Applies the next migration in one transaction, which also records it.
drogon::Task<Step> applyInTransaction(Client& client, const std::vector<Migration>& known,
                                      const Migration& next, MigrationReport& report,
                                      Deadline deadline) {
  Transaction transaction = co_await client.begin(deadline);
  if (!co_await tryLock(transaction, AdvisoryLock::migrations)) {
    co_await transaction.rollback();
    co_return Step::retry;
  }
  co_await transaction.script(kLimitInTransaction);
  co_await transaction.script(kCreateTable);
  const auto applied = checked(co_await transaction.run(kReadApplied), known, report);
  if (applied.size() != static_cast<std::size_t>(next.version) - 1) {
    co_await transaction.commit();
    co_return Step::retry;
  }
  co_await transaction.script(next.sql);
  co_await transaction.run(kRecord, next.version, next.name, next.checksum);
  co_await transaction.commit();
  co_return Step::applied;
}

// Runs the file's single statement and records it afterwards. If interrupted in between, it runs
// again.
drogon::Task<Step> applyOutside(Client& client, const std::vector<Migration>& known,
                                const Migration& next, MigrationReport& report, Deadline deadline) {
  Session session = co_await client.reserve(deadline);
  if (!co_await tryLock(session, AdvisoryLock::migrations)) {
    co_return Step::retry;
  }
  co_await session.script(kCreateTable);
  const auto applied = checked(co_await session.run(kReadApplied), known, report);
  if (applied.size() != static_cast<std::size_t>(next.version) - 1) {
    co_return Step::retry;
  }
  // IF NOT EXISTS would skip an index whose build is still in progress.
  const Result before = co_await session.run(kInvalidNamed, next.sql);
  if (const auto index = before.first<NamedIndex>(); index && index->isUnderWay) {
    co_return Step::retry;
  }
  const IndexFaults faults = co_await rebuildInvalidIndexes(session);
  co_await session.script(isConcurrent(next.sql) ? kNoLimitInSession : kLimitInSession);
  co_await session.script(next.sql);
  const Result after = co_await session.run(kInvalidNamed, next.sql);
  if (const auto index = after.first<NamedIndex>()) {
    if (index->isUnderWay) {
      co_return Step::retry;
    }
    if (const auto fault = faults.find(index->name); fault != faults.end()) {
      throw Error(fault->second);
    }
    throw MigrationError(std::format("the index {} of migration {} ({}) is invalid", index->name,
                                     next.version, next.name));
  }
  co_await session.run(kRecord, next.version, next.name, next.checksum);
  co_return Step::applied;
}

drogon::Task<Step> applyNext(Client& client, const std::vector<Migration>& known,
                             MigrationReport& report, Deadline deadline) {
  std::size_t done = 0;
  const Result exists = co_await client.run(kTableExists, deadline);
  if (exists.only<bool>()) {
    done = checked(co_await client.run(kReadApplied, deadline), known, report).size();
  }
  if (done >= known.size()) {
    co_return Step::none;
  }
  const Migration& next = known[done];
  Step step{};
  if (next.outsideTransaction) {
    step = co_await applyOutside(client, known, next, report, deadline);
  } else {
    step = co_await applyInTransaction(client, known, next, report, deadline);
  }
  if (step == Step::applied) {
    report.applied.push_back(next.version);
    telemetry::log(telemetry::LogLevel::info, "database.migration_applied",
                   {{"version", next.version}, {"name", next.name}});
  }
  co_return step;
}

drogon::Task<void> restFor(Client& client, std::chrono::duration<double> time, Deadline deadline) {
  if (std::chrono::steady_clock::now() + time >= deadline) {
    throw MigrationError("the migration timed out; completed migrations are kept");
  }
  co_await drogon::sleepCoro(&client.loop(), time * workers::randomShare(0.5, 1));
}

// Holds the migrators' lock, so that no other migrator is active. False if another one has it.
drogon::Task<bool> mendIndexes(Client& client, Deadline deadline) {
  const Result invalid = co_await client.run(kInvalidIndexes, deadline);
  if (invalid.empty()) {
    co_return true;
  }
  Session session = co_await client.reserve(deadline);
  if (!co_await tryLock(session, AdvisoryLock::migrations)) {
    co_return false;
  }
  co_await rebuildInvalidIndexes(session);
  co_return true;
}

}  // namespace

std::vector<Migration> readMigrations(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder, failure);
  if (failure) {
    throw MigrationError(std::format("cannot read the migrations folder {}: {}", folder.string(),
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
    migration.outsideTransaction = firstLine(migration.sql) == kOutsideMark;
    migration.checksum = domain::toHex(hashing::sha256(migration.sql));
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
    throw MigrationError(std::format("the folder {} contains no migrations", folder.string()));
  }
  return migrations;
}

drogon::Task<MigrationReport> migrate(Client& client, std::filesystem::path folder,
                                      Deadline deadline) {
  const std::vector<Migration> known = readMigrations(folder);
  MigrationReport report;
  report.version = known.back().version;
  telemetry::FaultLog waits("database.migration_waits", telemetry::LogLevel::info);
  while (true) {
    Step step = Step::retry;
    std::chrono::duration<double> rest = kLockPoll;
    std::string reason = "another migrator is running, or the same index is being built";
    try {
      step = co_await applyNext(client, known, report, deadline);
    } catch (const Error& error) {
      if (!isInTheWay(error)) {
        throw;
      }
      reason = error.what();
      rest = kRetryPause;
    }
    if (step == Step::none) {
      break;
    }
    if (step == Step::retry) {
      waits.failed(reason);
      co_await restFor(client, rest, deadline);
    }
  }
  while (!co_await mendIndexes(client, deadline)) {
    co_await restFor(client, kLockPoll, deadline);
  }
  waits.succeeded();
  if (!report.unknownNewer.empty()) {
    telemetry::log(telemetry::LogLevel::warn, "database.schema_is_newer",
                   {{"known", report.version}, {"applied", report.unknownNewer.back()}});
  }
  co_return report;
}

drogon::Task<MigrationState> migrationState(Client& client, std::vector<Migration> known,
                                            Deadline deadline) {
  MigrationState state;
  const Result exists = co_await client.run(kTableExists, deadline);
  if (!exists.only<bool>()) {
    state.pending = known.size();
    co_return state;
  }
  const Result rows = co_await client.run(kReadApplied, deadline);
  const auto applied = rows.as<Applied>();
  state.unknownNewer = compare(known, applied);
  state.pending = known.size() - std::min(known.size(), applied.size());
  co_return state;
}

drogon::Task<MigrationState> migrationState(Client& client, std::filesystem::path folder,
                                            Deadline deadline) {
  return migrationState(client, readMigrations(folder), deadline);
}

}  // namespace auth_errors::database
