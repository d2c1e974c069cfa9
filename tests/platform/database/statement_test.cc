#include "platform/database/statement.h"

#include <cstdint>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/database_fixture.h"

namespace auth_errors::tests {
namespace {

using database::numbered;
using database::Statement;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using namespace std::chrono_literals;

Statement statement(std::string parameters, std::string sql) {
  return {.name = "x", .parameters = std::move(parameters), .sql = std::move(sql)};
}

TEST(DatabaseStatement, NumbersItsParametersInTheOrderOfTheirList) {
  EXPECT_EQ(numbered(statement("outbox_id attempt error",
                               "UPDATE x SET attempt = $attempt + 1, error = $error::text "
                               "WHERE (id, attempt) = ($outbox_id,$attempt)")),
            "UPDATE x SET attempt = $2 + 1, error = $3::text WHERE (id, attempt) = ($1,$2)");
}

TEST(DatabaseStatement, DistinguishesNamesWithACommonPrefix) {
  EXPECT_EQ(numbered(statement("id id_list id2", "$id2 $id $id_list $id")), "$3 $1 $2 $1");
}

TEST(DatabaseStatement, SupportsMoreThanNineParameters) {
  EXPECT_EQ(numbered(statement("a b c d e f g h i j k", "$a$b$c$d$e$f$g$h$i$j $k")),
            "$1$2$3$4$5$6$7$8$9$10 $11");
}

TEST(DatabaseStatement, KeepsOtherDollarSigns) {
  EXPECT_EQ(numbered(statement("a", "$1 $12x $$ $A $-$a$")), "$1 $12x $$ $A $-$1$");
}

TEST(DatabaseStatement, IsUnchangedWithoutNames) {
  for (const std::string sql : {"SELECT $1 + $2", "SELECT $body$ text $body$", ""}) {
    EXPECT_EQ(numbered(statement("", sql)), sql);
  }
}

TEST(DatabaseStatement, RefusesAnUndeclaredName) {
  EXPECT_THAT([] { (void)numbered(statement("id", "SELECT $id, $idd")); },
              ThrowsMessage<std::logic_error>(AllOf(HasSubstr("statement x"), HasSubstr("idd"))));
}

TEST(DatabaseStatement, RefusesAnUnusedName) {
  EXPECT_THAT(
      [] { (void)numbered(statement("id attempt", "SELECT $id")); },
      ThrowsMessage<std::logic_error>(AllOf(HasSubstr("statement x"), HasSubstr("attempt"))));
  EXPECT_THROW((void)numbered(statement("id  attempt", "SELECT $id, $attempt")), std::logic_error)
      << "two spaces";
  EXPECT_THROW((void)numbered(statement("id id", "SELECT $id")), std::logic_error) << "duplicate";
}

class NamedStatement : public DatabaseTest {
 protected:
  NamedStatement() : DatabaseTest(Contents::nothing) {}

  database::Client& client_ = connect();
};

TEST_F(NamedStatement, GetsItsValuesInTheOrderOfItsNames) {
  const Statement divide{
      .name = "divide", .parameters = "divisor number", .sql = "SELECT $number::int / $divisor"};
  const Statement unprepared{.name = "", .parameters = divide.parameters, .sql = divide.sql};
  for (const Statement& asked : {divide, divide, unprepared}) {
    EXPECT_EQ(clients_.run([&] { return client_.run(asked, in(10s), 3, 21); }).only<std::int32_t>(),
              7);
  }
}

TEST_F(NamedStatement, IsNotSentWithAWrongName) {
  EXPECT_THROW(clients_.run([this] {
    return client_.run(statement("number", "SELECT $nummer::int"), in(10s), 1);
  }),
               std::logic_error);
  EXPECT_EQ(clients_.query(client_, "SELECT 1").only<std::int32_t>(), 1);
}

}  // namespace
}  // namespace auth_errors::tests
