#include "platform/database/migrator.h"

#include <cerrno>
#include <filesystem>
#include <format>
#include <fstream>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::MigrationError;
using database::MigrationReport;
using database::MigrationState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using namespace std::chrono_literals;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "migrations-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp");
    }
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  void write(const std::string& name, const std::string& sql) const {
    std::ofstream(path_ / name) << sql;
  }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class DatabaseMigrator : public DatabaseTest {
 protected:
  DatabaseMigrator() : DatabaseTest(Contents::nothing) {
    folder_.write("0001_first.sql", "CREATE TABLE first (x int);");
    folder_.write("0002_second.sql", "CREATE TABLE second (x int); INSERT INTO second VALUES (1);");
  }

  MigrationReport migrate() {
    return clients_.run([this] { return database::migrate(client_, folder_.path(), in(20s)); });
  }
  MigrationState state() {
    return clients_.run(
        [this] { return database::migrationState(client_, folder_.path(), in(20s)); });
  }

  Folder folder_;
  Client& client_ = connect();
};

TEST_F(DatabaseMigrator, AppliesEachFileOnceAndInOrder) {
  EXPECT_EQ(state().pending, 2);
  EXPECT_THAT(migrate().applied, ElementsAre(1, 2));
  EXPECT_EQ(state().pending, 0);
  EXPECT_THAT(migrate().applied, IsEmpty());
  folder_.write("0003_third.sql", "ALTER TABLE first ADD y int;");
  folder_.write("README.md", "not a migration");
  EXPECT_EQ(state().pending, 1);
  const MigrationReport report = migrate();
  EXPECT_THAT(report.applied, ElementsAre(3));
  EXPECT_EQ(report.version, 3);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM second"), "1");
  EXPECT_THAT(
      database_.queryRow("SELECT version, name, checksum, applied_at <= now() AS applied FROM "
                         "schema_migration WHERE version = 1"),
      Row(1, "first", "cdd2b75ae1c5e063fedf7b48892663199600cf14df4044c1ae657a0cf6116132", true));
}

TEST_F(DatabaseMigrator, RefusesAChangedAppliedFile) {
  migrate();
  folder_.write("0001_first.sql", "CREATE TABLE first (x bigint);");
  EXPECT_THAT([this] { migrate(); },
              ThrowsMessage<MigrationError>(HasSubstr("migration 1 (first) was changed")));
  EXPECT_THAT([this] { state(); },
              ThrowsMessage<MigrationError>(HasSubstr("migration 1 (first) was changed")));
}

TEST_F(DatabaseMigrator, RefusesAMissingFile) {
  migrate();
  folder_.remove("0001_first.sql");
  EXPECT_THAT([this] { migrate(); },
              ThrowsMessage<MigrationError>(HasSubstr("migration 1 is missing")));
}

TEST_F(DatabaseMigrator, RefusesAGapInTheDatabase) {
  migrate();
  database_.execute("DELETE FROM schema_migration WHERE version = 1");
  EXPECT_THAT([this] { migrate(); },
              ThrowsMessage<MigrationError>(HasSubstr("migration 1 is not applied")));
}

TEST_F(DatabaseMigrator, RefusesGapsDuplicatesAndMalformedNames) {
  folder_.write("0004_fourth.sql", "SELECT 1;");
  EXPECT_THAT([this] { migrate(); },
              ThrowsMessage<MigrationError>(HasSubstr("migration 3 is missing")));
  folder_.remove("0004_fourth.sql");
  folder_.write("0002_other.sql", "SELECT 1;");
  EXPECT_THAT([this] { migrate(); },
              ThrowsMessage<MigrationError>(HasSubstr("two migrations have the number 2")));
  folder_.remove("0002_other.sql");
  for (const std::string name : {"three.sql", "0003.sql", "0003_.sql", "003_x.sql", "0003-x.sql",
                                 "0003_X.sql", "00003_x.sql", "0000_x.sql", "-003_x.sql"}) {
    folder_.write(name, "SELECT 1;");
    EXPECT_THAT([this] { migrate(); }, ThrowsMessage<MigrationError>(HasSubstr(name)));
    folder_.remove(name);
  }
  EXPECT_EQ(database_.queryValue("SELECT to_regclass('first') IS NULL"), "t")
      << "nothing must be applied";
}

TEST_F(DatabaseMigrator, RefusesAnUnreadableOrEmptyFolder) {
  EXPECT_THAT([] { (void)database::readMigrations("/nonexistent"); },
              ThrowsMessage<MigrationError>(HasSubstr("/nonexistent")));
  const Folder empty;
  EXPECT_THAT([&] { (void)database::readMigrations(empty.path()); },
              ThrowsMessage<MigrationError>(HasSubstr("no migrations")));
}

TEST_F(DatabaseMigrator, AcceptsADatabaseThatIsNewer) {
  folder_.write("0003_third.sql", "CREATE TABLE third ();");
  migrate();
  folder_.remove("0003_third.sql");
  const MigrationReport report = migrate();
  EXPECT_THAT(report.applied, IsEmpty());
  EXPECT_EQ(report.version, 2);
  EXPECT_THAT(report.unknownNewer, ElementsAre(3));
  EXPECT_EQ(state().pending, 0);
  EXPECT_THAT(state().unknownNewer, ElementsAre(3));
}

TEST_F(DatabaseMigrator, AFailingFileLeavesNothingBehind) {
  folder_.write("0002_second.sql", "CREATE TABLE second (x int); SELECT 1/0;");
  EXPECT_EQ(errorOf([this] { migrate(); }).sqlState(), "22012");
  EXPECT_THAT(database_.queryText("SELECT version FROM schema_migration"), ElementsAre(Row(1)));
  EXPECT_EQ(database_.queryValue("SELECT to_regclass('second') IS NULL"), "t");
  folder_.write("0002_second.sql", "CREATE TABLE second (x int);");
  EXPECT_THAT(migrate().applied, ElementsAre(2));
}

TEST_F(DatabaseMigrator, IsExemptFromTheTransactionTimeout) {
  database_.execute(
      std::format("ALTER DATABASE {} SET transaction_timeout = '300ms'", database_.name()));
  folder_.write("0002_second.sql", "CREATE TABLE second (x int); SELECT pg_sleep(0.6);");
  Client& client = connect();
  const MigrationReport report =
      clients_.run([&] { return database::migrate(client, folder_.path(), in(20s)); });
  EXPECT_THAT(report.applied, ElementsAre(1, 2));
}

TEST_F(DatabaseMigrator, AFileMustNotEndItsTransaction) {
  folder_.write("0002_second.sql", "CREATE TABLE second (x int); COMMIT;");
  EXPECT_EQ(errorOf([this] { migrate(); }).sqlState(), "25P01");
}

constexpr auto kIndexOutside =
    "-- migrate: outside a transaction\n"
    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS first_x ON first (x);";

class MigratorOutsideTransactions : public DatabaseMigrator {
 protected:
  MigratorOutsideTransactions() {
    migrate();
    folder_.write("0003_index.sql", kIndexOutside);
  }

  void leaveIndexInvalid() {
    database_.execute("INSERT INTO first VALUES (1), (1)");
    EXPECT_THROW(database_.execute("CREATE UNIQUE INDEX CONCURRENTLY first_x ON first (x)"),
                 std::runtime_error);
    EXPECT_EQ(valid(), "f");
  }
  std::string valid() {
    return database_.queryValue(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'first_x'::regclass");
  }
};

TEST_F(MigratorOutsideTransactions, RunsAMarkedFileWithoutATransaction) {
  EXPECT_THAT(migrate().applied, ElementsAre(3));
  EXPECT_EQ(valid(), "t");
  EXPECT_EQ(state().pending, 0);
}

TEST_F(MigratorOutsideTransactions, RebuildsAnIndexLeftByAnInterruptedRun) {
  leaveIndexInvalid();
  database_.execute("DELETE FROM first");
  EXPECT_THAT(migrate().applied, ElementsAre(3));
  EXPECT_EQ(valid(), "t");
}

TEST_F(MigratorOutsideTransactions, RecordsNothingWhileItsIndexCannotBeBuilt) {
  leaveIndexInvalid();
  EXPECT_EQ(errorOf([this] { migrate(); }).sqlState(), "23505");
  EXPECT_EQ(state().pending, 1);
}

TEST_F(MigratorOutsideTransactions, AnInvalidIndexBlocksOnlyTheMigrationThatNamesIt) {
  leaveIndexInvalid();
  folder_.write("0003_index.sql",
                "-- migrate: outside a transaction\n"
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS second_x ON second (x);");
  EXPECT_THAT(migrate().applied, ElementsAre(3));
  EXPECT_EQ(valid(), "f");
}

TEST_F(MigratorOutsideTransactions, DropsTheCopiesLeftByInterruptedRebuilds) {
  folder_.remove("0003_index.sql");
  leaveIndexInvalid();
  EXPECT_THROW(database_.execute("REINDEX INDEX CONCURRENTLY first_x"), std::runtime_error);
  database_.execute("DELETE FROM first");
  migrate();
  EXPECT_THAT(database_.queryText("SELECT relname FROM pg_class WHERE relname LIKE 'first_x%'"),
              ElementsAre(Row("first_x")));
  EXPECT_EQ(valid(), "t");
}

// Built by another role, whose activity the server hides from the migrator's role.
TEST_F(MigratorOutsideTransactions, LeavesAnIndexAloneWhileAnotherSessionBuildsIt) {
  const std::string role = database_.name() + "_plain";
  database_.execute(
      std::format("CREATE ROLE {0}; GRANT CREATE, USAGE ON SCHEMA public TO {0}; "
                  "ALTER TABLE first OWNER TO {0}; ALTER TABLE schema_migration OWNER TO {0}",
                  role));
  std::future<void> build;  // declared first, since it ends after the writer
  PlainConnection writer(database_.url());
  writer.execute("BEGIN; LOCK TABLE first IN ROW EXCLUSIVE MODE");
  build = std::async(std::launch::async, [this] {
    PlainConnection(database_.url())
        .execute("CREATE UNIQUE INDEX CONCURRENTLY first_x ON first (x)");
  });
  ASSERT_TRUE(eventually([this] {
    return database_.queryValue("SELECT count(*) FROM pg_class WHERE relname = 'first_x'") == "1";
  }));
  database::ClientOptions plain = options();
  plain.url += "?options=-c%20role%3D" + role;
  Client& client = clients_.connect(plain);
  auto report = clients_.start([&] { return database::migrate(client, folder_.path(), in(30s)); });
  EXPECT_EQ(report.wait_for(500ms), std::future_status::timeout);
  writer.execute("COMMIT");
  EXPECT_NO_THROW(build.get());
  EXPECT_THAT(await(std::move(report), 30s).applied, ElementsAre(3));
  EXPECT_EQ(valid(), "t");
  clients_.closeAll();
  database_.execute(
      std::format("REASSIGN OWNED BY {0} TO CURRENT_USER; DROP OWNED BY {0}; "
                  "DROP ROLE {0}",
                  role));
}

TEST_F(MigratorOutsideTransactions, RecordsWhatAnInterruptedRunHadDone) {
  database_.execute("CREATE UNIQUE INDEX first_x ON first (x)");
  EXPECT_THAT(migrate().applied, ElementsAre(3));
}

TEST_F(MigratorOutsideTransactions, RebuildsAnInvalidIndexEvenIfNothingIsPending) {
  folder_.remove("0003_index.sql");
  leaveIndexInvalid();
  EXPECT_THAT(migrate().applied, IsEmpty()) << "a failed rebuild must not block the migration";
  EXPECT_EQ(valid(), "f");
  database_.execute("DELETE FROM first");
  EXPECT_THAT(migrate().applied, IsEmpty());
  EXPECT_EQ(valid(), "t");
}

TEST_F(MigratorOutsideTransactions, RestoresTheStateOfItsConnection) {
  migrate();
  EXPECT_EQ(clients_.query(client_, "SELECT current_setting('lock_timeout')").only<std::string>(),
            "10s");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND "
                                 "database = (SELECT oid FROM pg_database WHERE datname = "
                                 "current_database())"),
            "0");
}

// Simulates CREATE INDEX CONCURRENTLY of another migrator, which waits for others' snapshots.
TEST_F(MigratorOutsideTransactions, WaitsForAnotherMigratorWithoutASnapshot) {
  PlainConnection other(database_.url());
  other.execute("SELECT pg_advisory_lock(x'617574682d657272'::bigint)");
  auto report =
      clients_.start([this] { return database::migrate(client_, folder_.path(), in(30s)); });
  ASSERT_TRUE(eventually([&] {
    return other.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = "
               "current_database() AND query LIKE '%advisory%' AND pid <> "
               "pg_backend_pid()") != "0";
  }));
  other.execute("CREATE INDEX CONCURRENTLY second_x ON second (x)");
  other.execute("SELECT pg_advisory_unlock_all()");
  EXPECT_THAT(await(std::move(report), 30s).applied, ElementsAre(3));
}

TEST_F(DatabaseMigrator, RetriesForATableLockWithoutBlockingOthers) {
  migrate();
  folder_.write("0003_third.sql", "ALTER TABLE first ADD y int;");
  PlainConnection reader(database_.url());
  reader.execute("BEGIN; SELECT count(*) FROM first");
  auto report =
      clients_.start([this] { return database::migrate(client_, folder_.path(), in(30s)); });
  const auto waits = [this] {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = "
               "current_database() AND wait_event_type = 'Lock'") != "0";
  };
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(eventually(waits));
    EXPECT_EQ(database_.queryValue("SELECT count(*) FROM first"), "0");
    ASSERT_TRUE(eventually([&] { return !waits(); }));
  }
  reader.execute("COMMIT");
  EXPECT_THAT(await(std::move(report), 30s).applied, ElementsAre(3));
}

TEST_F(DatabaseMigrator, RacingMigratorsApplyEachFileOnce) {
  for (int number = 3; number <= 12; ++number) {
    folder_.write(
        "00" + std::string(number < 10 ? "0" : "") + std::to_string(number) + "_step.sql",
        "CREATE TABLE step_" + std::to_string(number) + " (x int); SELECT pg_sleep(0.01)");
  }
  constexpr int kMigrators = 4;
  std::vector<std::unique_ptr<ClientLoop>> loops;
  std::vector<std::future<MigrationReport>> reports;
  for (int migrator = 0; migrator < kMigrators; ++migrator) {
    ClientLoop& clients = *loops.emplace_back(std::make_unique<ClientLoop>());
    // The session's limits must not apply to waiting for the lock.
    database::ClientOptions impatient = options();
    impatient.lockTimeout = 5ms;
    Client& client = clients.connect(impatient);
    reports.push_back(clients.start(
        [this, &client] { return database::migrate(client, folder_.path(), in(30s)); }));
  }
  std::size_t applied = 0;
  for (auto& report : reports) {
    applied += await(std::move(report), 30s).applied.size();
  }
  EXPECT_EQ(applied, 12);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM schema_migration"), "12");
}

}  // namespace
}  // namespace auth_errors::tests
