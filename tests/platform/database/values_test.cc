#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "tests/support/database_fixture.h"

namespace auth_errors::tests {
namespace {

using database::Bytes;
using database::Client;
using database::Error;
using database::Failure;
using database::Jsonb;
using database::Parameters;
using database::Result;
using database::ResultMismatch;
using database::Timestamp;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::string_literals;
using namespace std::string_view_literals;

Timestamp at(std::chrono::year_month_day day, std::chrono::microseconds time) {
  return Timestamp(std::chrono::sys_days(day)) + time;
}

class DatabaseValues : public DatabaseTest {
 protected:
  DatabaseValues() : DatabaseTest(Contents::nothing) {}

  // Sends a value out and reads it back, also as the server writes it in text.
  template <typename T, typename Read = T>
  Read echo(const T& value, const std::string& type, std::string* text = nullptr) {
    const Result result = clients_.query(client_, "SELECT $1::" + type + ", $1::" + type + "::text",
                                         Parameters().add(value));
    if (text != nullptr) {
      *text = result.value<std::optional<std::string>>(0, 1).value_or("NULL");
    }
    return result.value<Read>(0, 0);
  }

  Client& client_ = connect();
};

TEST_F(DatabaseValues, GoThereAndBackUnchanged) {
  for (const bool value : {false, true}) {
    EXPECT_EQ(echo(value, "bool"), value);
  }
  for (const std::int32_t value : {0, -1, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max()}) {
    EXPECT_EQ(echo(value, "int4"), value);
  }
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(echo(value, "int8"), value);
  }
  for (const double value : {0.0, -1.5, 1e308, std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(echo(value, "float8"), value);
  }
  EXPECT_TRUE(std::isnan(echo(std::numeric_limits<double>::quiet_NaN(), "float8")));
}

TEST_F(DatabaseValues, TextsKeepEveryCharacter) {
  for (const std::string& value : {""s, "plain"s, "quotes ' \" \\ and $1"s, "한국어 ß 🔐 \u0301"s,
                                   "line\nbreak\ttab\x01"s, std::string(300'000, 'x')}) {
    EXPECT_EQ(echo(value, "text"), value);
    EXPECT_EQ((echo<std::string_view, std::string>(value, "text")), value);
  }
  EXPECT_EQ((echo<std::string_view, std::string>("literal", "varchar")), "literal");
}

TEST_F(DatabaseValues, TimestampsReachFromTheFirstToTheLast) {
  using namespace std::chrono;
  std::string text;
  const Timestamp usual = at(2024y / February / 29, 23h + 59min + 59s + 999'999us);
  EXPECT_EQ(echo(usual, "timestamptz", &text), usual);
  EXPECT_THAT(text, HasSubstr("2024-02-29 23:59:59.999999"));
  for (const Timestamp value :
       {at(1970y / January / 1, 0us), at(1969y / December / 31, 1us), at(2000y / January / 1, 0us),
        at(1999y / December / 31, 1us), at(9999y / December / 31, 1us), at(1y / January / 1, 0us),
        // The first one PostgreSQL has: 4714-11-24 BC.
        at(year(-4713) / November / 24, 0us),
        // The last one a Timestamp has before its own infinity.
        Timestamp::max() - 1us}) {
    EXPECT_EQ(echo(value, "timestamptz"), value) << value.time_since_epoch().count();
  }
  EXPECT_EQ(echo(Timestamp::max(), "timestamptz", &text), Timestamp::max());
  EXPECT_EQ(text, "infinity");
  EXPECT_EQ(echo(Timestamp::min(), "timestamptz", &text), Timestamp::min());
  EXPECT_EQ(text, "-infinity");
}

TEST_F(DatabaseValues, TimestampsOutOfRangeAreDataFaults) {
  using namespace std::chrono;
  const Timestamp before = at(year(-4713) / November / 24, 0us) - 1us;
  EXPECT_TRUE(errorOf([&] { Parameters().add(before); }).isDataFault());
  EXPECT_TRUE(errorOf([] { Parameters().add(Timestamp::min() + 1us); }).isDataFault());
  const Result past = clients_.query(client_, "SELECT '294270-01-01 00:00:00Z'::timestamptz");
  EXPECT_TRUE(errorOf([&] { (void)past.value<Timestamp>(0, 0); }).isDataFault());
}

TEST_F(DatabaseValues, BytesAndJsonGoThereAndBack) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}, std::byte{'\\'}};
  EXPECT_EQ((echo<Bytes, std::vector<std::byte>>(bytes, "bytea")), bytes);
  EXPECT_THAT((echo<Bytes, std::vector<std::byte>>(Bytes(), "bytea")), IsEmpty());
  EXPECT_EQ((echo<Jsonb, std::string>(Jsonb{R"({"a":[1,null,"ä"]})"}, "jsonb")),
            R"({"a": [1, null, "ä"]})");
  EXPECT_EQ(clients_.query(client_, R"(SELECT '{"a":1}'::json)").value<std::string>(0, 0),
            R"({"a":1})");
}

TEST_F(DatabaseValues, NullIsOnlyForOptionals) {
  EXPECT_EQ(echo(std::optional<std::int32_t>(), "int4"), std::nullopt);
  EXPECT_EQ(echo(std::optional<std::int64_t>(7), "int8"), 7);
  EXPECT_EQ(echo(std::optional<std::string>(), "text"), std::nullopt);
  EXPECT_EQ(echo(std::optional<std::string>(""), "text"), "");
  EXPECT_EQ((echo<std::optional<std::string_view>, std::string>("x", "text")), "x");
  EXPECT_EQ(echo(std::optional<bool>(), "bool"), std::nullopt);
  EXPECT_EQ(echo(std::optional<double>(2.5), "float8"), 2.5);
  EXPECT_EQ(echo(std::optional<Timestamp>(), "timestamptz"), std::nullopt);
  EXPECT_THROW((echo<std::optional<std::int32_t>, std::int32_t>(std::nullopt, "int4")),
               ResultMismatch);
}

TEST_F(DatabaseValues, ArraysGoThereAndBack) {
  const auto echoArray = [this](const auto& values, const std::string& type) {
    return clients_.query(client_, "SELECT $1::" + type + ", coalesce(array_length($1, 1), 0)",
                          Parameters().addArray(values));
  };
  const std::vector<std::int64_t> numbers{1, -1, std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(echoArray(numbers, "int8[]").value<std::vector<std::int64_t>>(0, 0), numbers);
  const std::array<std::int32_t, 2> small{5, -6};
  EXPECT_THAT(echoArray(small, "int4[]").value<std::vector<std::int32_t>>(0, 0),
              ElementsAre(5, -6));
  const std::vector<std::string> texts{"", "a,b", "{\"}", "NULL", "한"};
  EXPECT_EQ(echoArray(texts, "text[]").value<std::vector<std::string>>(0, 0), texts);
  EXPECT_THAT(echoArray(std::vector<std::string_view>(), "text[]").value<std::int32_t>(0, 1), 0);
  EXPECT_THAT(
      echoArray(std::vector<std::string_view>(), "text[]").value<std::vector<std::string>>(0, 0),
      IsEmpty());
  const std::vector<std::optional<std::string_view>> gaps{std::nullopt, "x", std::nullopt, ""};
  EXPECT_THAT(echoArray(gaps, "text[]").value<std::vector<std::optional<std::string>>>(0, 0),
              ElementsAre(std::nullopt, "x", std::nullopt, ""));
  EXPECT_THROW((void)echoArray(gaps, "text[]").value<std::vector<std::string>>(0, 0),
               ResultMismatch);
}

TEST_F(DatabaseValues, ArraysUnnestSideBySide) {
  const std::vector<std::string_view> keys{"a", "b", "c"};
  const std::vector<std::optional<std::int32_t>> counts{1, std::nullopt, 3};
  const std::vector<std::optional<std::int64_t>> sizes{std::nullopt, 2, 3};
  const std::vector<bool> flags{true, false, true};
  const std::vector<Timestamp> times(3, Timestamp(std::chrono::seconds(1)));
  const std::vector<std::optional<Timestamp>> gaps{std::nullopt, times[0], std::nullopt};
  const std::vector<Jsonb> documents{Jsonb{"{}"}, Jsonb{"[]"}, Jsonb{"1"}};
  const std::vector<double> ratios{0.5, 1.5, 2.5};
  const Result result = clients_.query(
      client_,
      "SELECT * FROM unnest($1::text[], $2::int4[], $3::int8[], $4::bool[], $5::timestamptz[], "
      "$6::timestamptz[], $7::jsonb[], $8::float8[])",
      Parameters()
          .addArray(keys)
          .addArray(counts)
          .addArray(sizes)
          .addArray(flags)
          .addArray(times)
          .addArray(gaps)
          .addArray(documents)
          .addArray(ratios));
  ASSERT_EQ(result.rows(), 3);
  ASSERT_EQ(result.columns(), 8);
  EXPECT_EQ(result.value<std::string_view>(1, 0), "b");
  EXPECT_EQ(result.value<std::optional<std::int32_t>>(1, 1), std::nullopt);
  EXPECT_EQ(result.value<std::optional<std::int32_t>>(2, 1), 3);
  EXPECT_EQ(result.value<std::optional<std::int64_t>>(0, 2), std::nullopt);
  EXPECT_TRUE(result.value<bool>(0, 3));
  EXPECT_FALSE(result.value<bool>(1, 3));
  EXPECT_EQ(result.value<Timestamp>(2, 4), times[0]);
  EXPECT_EQ(result.value<std::optional<Timestamp>>(1, 5), times[0]);
  EXPECT_EQ(result.value<std::string>(1, 6), "[]");
  EXPECT_EQ(result.value<double>(2, 7), 2.5);
}

TEST_F(DatabaseValues, NarrowNumbersWiden) {
  const Result result = clients_.query(client_, "SELECT 7::int2, 8::int4, 1.5::float4");
  EXPECT_EQ(result.value<std::int64_t>(0, 0), 7);
  EXPECT_EQ(result.value<std::int32_t>(0, 0), 7);
  EXPECT_EQ(result.value<std::int64_t>(0, 1), 8);
  EXPECT_EQ(result.value<double>(0, 2), 1.5);
}

TEST_F(DatabaseValues, MismatchedTypesAreRefused) {
  const Result result = clients_.query(
      client_,
      "SELECT 8::int8 AS big, 'x' AS word, 1.5::numeric AS exact, now()::timestamp AS wall");
  EXPECT_THROW((void)result.value<std::int32_t>(0, 0), ResultMismatch);
  EXPECT_THROW((void)result.value<std::string>(0, 0), ResultMismatch);
  EXPECT_THROW((void)result.value<std::int64_t>(0, 1), ResultMismatch);
  EXPECT_THROW((void)result.value<double>(0, 2), ResultMismatch);
  EXPECT_THROW((void)result.value<Timestamp>(0, 3), ResultMismatch);
  EXPECT_THROW((void)result.value<std::int64_t>(1, 0), ResultMismatch);
  EXPECT_THROW((void)result.value<std::int64_t>(0, 4), ResultMismatch);
  EXPECT_THROW((void)result.column("none"), ResultMismatch);
  EXPECT_THROW((void)Result().value<bool>(0, 0), ResultMismatch);
  EXPECT_EQ(result.column("exact"), 2);
}

TEST_F(DatabaseValues, AffectedRowsAreCounted) {
  database_.execute("CREATE TABLE item (id int)");
  EXPECT_EQ(clients_.query(client_, "INSERT INTO item SELECT generate_series(1, 5)").affectedRows(),
            5);
  EXPECT_EQ(clients_.query(client_, "DELETE FROM item WHERE id > 3").affectedRows(), 2);
  EXPECT_EQ(clients_.query(client_, "CREATE TABLE other ()").affectedRows(), 0);
  EXPECT_EQ(Result().affectedRows(), 0);
}

TEST_F(DatabaseValues, TextWithNulIsRefusedNotCut) {
  const auto text = "before\0after"sv;
  for (const Error& error :
       {errorOf([&] { Parameters().add(1).add(text); }),
        errorOf([&] { Parameters().add(1).addArray(std::vector<std::string_view>{"fine", text}); }),
        errorOf([&] { Parameters().add(1).add(Jsonb{text}); })}) {
    EXPECT_EQ(error.failure(), Failure::statement);
    EXPECT_EQ(error.sqlState(), "22021");
    EXPECT_TRUE(error.isDataFault());
    EXPECT_THAT(error.what(), HasSubstr("parameter 2"));
    EXPECT_THAT(error.what(), Not(HasSubstr("before")));
  }
}

TEST_F(DatabaseValues, BadUtf8IsTheServersDataFault) {
  const Error error =
      errorOf([&] { clients_.query(client_, "SELECT $1::text", Parameters().add("\xC3\x28")); });
  EXPECT_EQ(error.sqlState(), "22021");
  EXPECT_TRUE(error.isDataFault());
}

}  // namespace
}  // namespace auth_errors::tests
