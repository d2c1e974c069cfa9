// Each test uses its own template name, so that tests do not interfere.
#include "tests/support/database_template.h"

#include <atomic>
#include <format>
#include <future>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/row_matchers.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class DatabaseTemplate : public testing::Test {
 protected:
  ~DatabaseTemplate() override {
    for (const std::string& database : {copy_, name_, part_}) {
      if (exists(database)) {
        server_.execute(std::format("ALTER DATABASE {} IS_TEMPLATE false", database));
        server_.execute(std::format("DROP DATABASE {} WITH (FORCE)", database));
      }
    }
  }

  bool exists(const std::string& database) {
    return !server_.queryText(std::format("SELECT FROM pg_database WHERE datname = '{}'", database))
                .empty();
  }
  void make(PlainConnection& server) {
    ensureTemplate(server, name_, [this](const std::string& url) {
      ++fills_;
      PlainConnection(url).execute("CREATE TABLE filled AS SELECT 1 AS one");
    });
  }
  std::vector<TextRow> rowsOfACopy() {
    server_.execute(std::format("CREATE DATABASE {} TEMPLATE {}", copy_, name_));
    return PlainConnection(urlWithDatabase(serverUrl(), copy_)).queryText("SELECT * FROM filled");
  }

  PlainConnection server_{serverUrl()};
  std::string name_ = std::format("template_test_{:08x}", std::random_device{}());
  std::string part_ = name_ + "_part";
  std::string copy_ = name_ + "_copy";
  std::atomic<int> fills_ = 0;
};

TEST_F(DatabaseTemplate, IsFilledOnceAndCopiedWithItsContents) {
  make(server_);
  make(server_);
  EXPECT_EQ(fills_, 1);
  EXPECT_FALSE(exists(part_));
  EXPECT_THAT(rowsOfACopy(), ElementsAre(Row(1)));
  EXPECT_THAT(
      server_.queryRow(std::format(
          "SELECT datistemplate, datallowconn FROM pg_database WHERE datname = '{}'", name_)),
      Row(true, false));
}

TEST_F(DatabaseTemplate, IsFilledOnceUnderConcurrency) {
  std::vector<std::future<void>> makers;
  for (int i = 0; i < 8; ++i) {
    makers.push_back(std::async(std::launch::async, [this] {
      PlainConnection server(serverUrl());
      make(server);
    }));
  }
  for (auto& maker : makers) {
    maker.get();
  }
  EXPECT_EQ(fills_, 1);
  EXPECT_THAT(rowsOfACopy(), ElementsAre(Row(1)));
}

TEST_F(DatabaseTemplate, IsRebuiltAfterAFailure) {
  EXPECT_THAT(
      [this] {
        ensureTemplate(server_, name_, [](const std::string& url) {
          PlainConnection(url).execute("CREATE TABLE half ()");
          throw std::runtime_error("interrupted");
        });
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("interrupted")));
  EXPECT_FALSE(exists(name_));
  make(server_);
  EXPECT_THAT(rowsOfACopy(), ElementsAre(Row(1)));
  EXPECT_THAT(PlainConnection(urlWithDatabase(serverUrl(), copy_))
                  .queryText("SELECT FROM pg_tables WHERE tablename = 'half'"),
              IsEmpty());
}

// Simulates a killed maker, which leaves its database and perhaps a connection to it.
TEST_F(DatabaseTemplate, IsRebuiltAfterItsMakerWasKilled) {
  server_.execute(std::format("CREATE DATABASE {}", part_));
  const PlainConnection left(urlWithDatabase(serverUrl(), part_));
  make(server_);
  EXPECT_THAT(rowsOfACopy(), ElementsAre(Row(1)));
}

TEST(TestDatabase, IsMigratedAndHasAKeyPerRole) {
  TestDatabase database;
  EXPECT_THAT(database.queryText("SELECT role FROM api_key ORDER BY role"),
              ElementsAre(Row("ingest"), Row("operator"), Row("viewer")));
  EXPECT_NE(database.queryValue("SELECT count(*) FROM schema_migration"), "0");
}

TEST(TestDatabase, IsEmptyOnRequest) {
  TestDatabase database(Contents::nothing);
  EXPECT_THAT(database.queryText("SELECT FROM pg_tables WHERE schemaname = 'public'"), IsEmpty());
}

}  // namespace
}  // namespace auth_errors::tests
