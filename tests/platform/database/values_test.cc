#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "tests/support/database_fixture.h"

namespace auth_errors::tests {
namespace {

using database::Bytes;
using database::Client;
using database::encoded;
using database::Error;
using database::Failure;
using database::Jsonb;
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

  // Sends a value, and checks both the value read back and its text on the server.
  template <typename T, typename Read = T>
  Read echo(const T& value, const std::string& type, std::string* text = nullptr) {
    const Result result =
        clients_.query(client_, "SELECT $1::" + type + ", $1::" + type + "::text", value);
    auto [read, written] = result.only<std::pair<Read, std::optional<std::string>>>();
    if (text != nullptr) {
      *text = written.value_or("NULL");
    }
    return read;
  }
  template <typename Element, typename Values>
  std::vector<Element> echoArray(const Values& values, const std::string& type) {
    const Result result = clients_.query(
        client_, "SELECT $1::" + type + ", coalesce(array_length($1, 1), 0)", values);
    auto [read, length] = result.only<std::pair<std::vector<Element>, std::int32_t>>();
    EXPECT_EQ(length, std::ranges::ssize(values));
    return read;
  }
  Result select(const std::string& expressions) {
    return clients_.query(client_, "SELECT " + expressions);
  }

  Client& client_ = connect();
};

TEST_F(DatabaseValues, RoundTrip) {
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

TEST_F(DatabaseValues, RoundTripEveryCharacterOfText) {
  for (const std::string& value : {""s, "plain"s, "quotes ' \" \\ and $1"s, "한국어 ß 🔐 \u0301"s,
                                   "line\nbreak\ttab\x01"s, std::string(300'000, 'x')}) {
    EXPECT_EQ(echo(value, "text"), value);
    EXPECT_EQ((echo<std::string_view, std::string>(value, "text")), value);
  }
  EXPECT_EQ((echo<std::string_view, std::string>("literal", "varchar")), "literal");
}

TEST_F(DatabaseValues, RoundTripTheFirstAndTheLastTimestamp) {
  using namespace std::chrono;
  std::string text;
  const Timestamp usual = at(2024y / February / 29, 23h + 59min + 59s + 999'999us);
  EXPECT_EQ(echo(usual, "timestamptz", &text), usual);
  EXPECT_THAT(text, HasSubstr("2024-02-29 23:59:59.999999"));
  for (const Timestamp value :
       {at(1970y / January / 1, 0us), at(1969y / December / 31, 1us), at(2000y / January / 1, 0us),
        at(1999y / December / 31, 1us), at(9999y / December / 31, 1us), at(1y / January / 1, 0us),
        // The first timestamp of PostgreSQL: 4714-11-24 BC.
        at(year(-4713) / November / 24, 0us),
        // The last Timestamp before the one that stands for infinity.
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
  EXPECT_TRUE(errorOf([&] { (void)encoded(before); }).isDataFault());
  EXPECT_TRUE(errorOf([] { (void)encoded(Timestamp::min() + 1us); }).isDataFault());
  const Result past = select("'294270-01-01 00:00:00Z'::timestamptz");
  EXPECT_TRUE(errorOf([&] { (void)past.only<Timestamp>(); }).isDataFault());
}

TEST_F(DatabaseValues, RoundTripBytesAndJson) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}, std::byte{'\\'}};
  EXPECT_EQ((echo<Bytes, std::vector<std::byte>>(bytes, "bytea")), bytes);
  EXPECT_THAT((echo<Bytes, std::vector<std::byte>>(Bytes(), "bytea")), IsEmpty());
  EXPECT_EQ((echo<Jsonb, std::string>(Jsonb{R"({"a":[1,null,"ä"]})"}, "jsonb")),
            R"({"a": [1, null, "ä"]})");
  EXPECT_EQ(select(R"('{"a":1}'::json)").only<std::string>(), R"({"a":1})");
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

TEST_F(DatabaseValues, RoundTripArrays) {
  const std::vector<std::int64_t> numbers{1, -1, std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(echoArray<std::int64_t>(numbers, "int8[]"), numbers);
  const std::array<std::int32_t, 2> small{5, -6};
  EXPECT_THAT(echoArray<std::int32_t>(small, "int4[]"), ElementsAre(5, -6));
  const std::vector<std::string> texts{"", "a,b", "{\"}", "NULL", "한"};
  EXPECT_EQ(echoArray<std::string>(texts, "text[]"), texts);
  EXPECT_THAT(echoArray<std::string>(std::vector<std::string_view>(), "text[]"), IsEmpty());
  const std::vector<std::optional<std::string_view>> gaps{std::nullopt, "x", std::nullopt, ""};
  EXPECT_THAT(echoArray<std::optional<std::string>>(gaps, "text[]"),
              ElementsAre(std::nullopt, "x", std::nullopt, ""));
  EXPECT_THROW((void)echoArray<std::string>(gaps, "text[]"), ResultMismatch);
}

TEST_F(DatabaseValues, ArraysUnnestSideBySide) {
  struct Unnested {
    std::string key;
    std::optional<std::int32_t> count;
    std::optional<std::int64_t> size;
    bool flag;
    Timestamp time;
    std::optional<Timestamp> gap;
    std::string document;
    double ratio;
    bool operator==(const Unnested& other) const = default;
  };
  const std::vector<std::string_view> keys{"a", "b", "c"};
  const std::vector<std::optional<std::int32_t>> counts{1, std::nullopt, 3};
  const std::vector<std::optional<std::int64_t>> sizes{std::nullopt, 2, 3};
  const std::vector<bool> flags{true, false, true};
  const Timestamp time(std::chrono::seconds(1));
  const std::vector<Timestamp> times(3, time);
  const std::vector<std::optional<Timestamp>> gaps{std::nullopt, time, std::nullopt};
  const std::vector<Jsonb> documents{Jsonb{"{}"}, Jsonb{"[]"}, Jsonb{"1"}};
  const std::vector<double> ratios{0.5, 1.5, 2.5};
  const Result result = clients_.query(
      client_,
      "SELECT * FROM unnest($1::text[], $2::int4[], $3::int8[], $4::bool[], $5::timestamptz[], "
      "$6::timestamptz[], $7::jsonb[], $8::float8[])",
      keys, counts, sizes, flags, times, gaps, documents, ratios);
  EXPECT_THAT(result.as<Unnested>(),
              ElementsAre(Unnested{"a", 1, std::nullopt, true, time, std::nullopt, "{}", 0.5},
                          Unnested{"b", std::nullopt, 2, false, time, time, "[]", 1.5},
                          Unnested{"c", 3, 3, true, time, std::nullopt, "1", 2.5}));
}

TEST_F(DatabaseValues, NarrowNumbersWiden) {
  EXPECT_EQ(select("7::int2").only<std::int64_t>(), 7);
  EXPECT_EQ(select("7::int2").only<std::int32_t>(), 7);
  EXPECT_EQ(select("8::int4").only<std::int64_t>(), 8);
  EXPECT_EQ(select("1.5::float4").only<double>(), 1.5);
}

TEST_F(DatabaseValues, CountsAreBigints) {
  EXPECT_EQ((echo<std::size_t, std::int64_t>(7, "int8")), 7);
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((echo<std::uint64_t, std::int64_t>(most, "int8")),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(echoArray<std::int64_t>(std::vector<std::size_t>{0, 9}, "int8[]"), ElementsAre(0, 9));
  EXPECT_TRUE(errorOf([&] { (void)encoded(most + 1); }).isDataFault());
}

TEST_F(DatabaseValues, DurationsAreIntervals) {
  using namespace std::chrono_literals;
  const auto interval = [this](const auto& value) {
    return clients_.query(client_, "SELECT $1::interval::text", value)
        .template only<std::optional<std::string>>();
  };
  EXPECT_EQ(interval(1500ms), "00:00:01.5");
  EXPECT_EQ(interval(7s), "00:00:07");
  EXPECT_EQ(interval(-1us), "-00:00:00.000001");
  EXPECT_EQ(interval(90'000s), "25:00:00") << "no days, which do not always have 24 hours";
  EXPECT_EQ(interval(std::optional<std::chrono::seconds>()), std::nullopt);
  const std::vector<std::optional<std::chrono::milliseconds>> gaps{1ms, std::nullopt};
  EXPECT_EQ(clients_.query(client_, "SELECT $1::interval[]::text", gaps).only<std::string>(),
            "{00:00:00.001,NULL}");
}

TEST_F(DatabaseValues, MismatchedTypesAreRefused) {
  EXPECT_THROW((void)select("8::int8").only<std::int32_t>(), ResultMismatch);
  EXPECT_THROW((void)select("8::int8").only<std::string>(), ResultMismatch);
  EXPECT_THROW((void)select("'x'").only<std::int64_t>(), ResultMismatch);
  EXPECT_THROW((void)select("1.5::numeric").only<double>(), ResultMismatch);
  EXPECT_THROW((void)select("now()::timestamp").only<Timestamp>(), ResultMismatch);
  EXPECT_THROW((void)Result().only<bool>(), ResultMismatch);
}

TEST_F(DatabaseValues, AffectedRowsAreCounted) {
  database_.execute("CREATE TABLE item (id int)");
  EXPECT_EQ(clients_.query(client_, "INSERT INTO item SELECT generate_series(1, 5)").affectedRows(),
            5);
  EXPECT_EQ(clients_.query(client_, "DELETE FROM item WHERE id > 3").affectedRows(), 2);
  EXPECT_EQ(clients_.query(client_, "CREATE TABLE other ()").affectedRows(), 0);
  EXPECT_EQ(Result().affectedRows(), 0);
}

TEST_F(DatabaseValues, TextWithNulIsRefusedNotTruncated) {
  const auto text = "before\0after"sv;
  for (const Error& error : {errorOf([&] { (void)encoded(1, text); }), errorOf([&] {
                               (void)encoded(1, std::vector<std::string_view>{"fine", text});
                             }),
                             errorOf([&] { (void)encoded(1, Jsonb{text}); })}) {
    EXPECT_EQ(error.failure(), Failure::statement);
    EXPECT_EQ(error.sqlState(), "22021");
    EXPECT_TRUE(error.isDataFault());
    EXPECT_THAT(error.what(), HasSubstr("parameter 2"));
    EXPECT_THAT(error.what(), Not(HasSubstr("before")));
  }
}

TEST_F(DatabaseValues, InvalidUtf8IsADataFault) {
  const Error error = errorOf([&] { clients_.query(client_, "SELECT $1::text", "\xC3\x28"); });
  EXPECT_EQ(error.sqlState(), "22021");
  EXPECT_TRUE(error.isDataFault());
}

}  // namespace
}  // namespace auth_errors::tests
