// Rows as structs, and values that expand to several parameters.
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/values/names.h"
#include "platform/database/client.h"
#include "tests/support/database_fixture.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::columns;
using database::encoded;
using database::Parameters;
using database::Result;
using database::ResultMismatch;
using domain::ClusterId;
using domain::ErrorId;
using domain::InstanceName;
using domain::StoredName;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::Throws;
using namespace std::string_literals;

enum class Colour : std::uint8_t { red, darkBlue };

constexpr std::array<std::pair<Colour, std::string_view>, 2> kColours{
    {{Colour::red, "RED"}, {Colour::darkBlue, "DARK_BLUE"}}};

constexpr const auto& namesOf(Colour /*any*/) { return kColours; }
constexpr std::string_view toText(Colour colour) {
  return kColours.at(static_cast<std::size_t>(colour)).second;
}

struct Point {
  std::int32_t x;
  std::int32_t y;
  bool operator==(const Point& other) const = default;
};

struct Box {
  std::int64_t id;
  Point from;
  Point to;
  std::optional<std::string> label;
  bool operator==(const Box& other) const = default;
};

struct Membership {
  ErrorId error;
  std::optional<ClusterId> cluster;
  InstanceName by;
  bool operator==(const Membership& other) const = default;
};

class DatabaseRows : public DatabaseTest {
 protected:
  DatabaseRows() : DatabaseTest(Contents::nothing) {}

  template <typename... Values>
  Result select(const std::string& expressions, const Values&... values) {
    return clients_.query(client_, "SELECT " + expressions, values...);
  }

  Client& client_ = connect();
};

TEST_F(DatabaseRows, FillStructsInTheOrderOfTheirFields) {
  const Result result = select("x, 10 * x FROM generate_series(1, 3) x ORDER BY x");
  EXPECT_THAT(result.as<Point>(),
              ElementsAre(Point{.x = 1, .y = 10}, Point{.x = 2, .y = 20}, Point{.x = 3, .y = 30}));
  EXPECT_EQ(result.first<Point>(), (Point{.x = 1, .y = 10}));
  EXPECT_EQ(result.only<Point>(), (Point{.x = 1, .y = 10}));
}

TEST_F(DatabaseRows, FillNestedStructs) {
  const Result result =
      select("* FROM (VALUES (7::int8, 1, 2, 3, 4, 'a'), (8, 5, 6, 7, 8, NULL)) box");
  EXPECT_THAT(
      result.as<Box>(),
      ElementsAre(
          Box{.id = 7, .from = {.x = 1, .y = 2}, .to = {.x = 3, .y = 4}, .label = "a"},
          Box{.id = 8, .from = {.x = 5, .y = 6}, .to = {.x = 7, .y = 8}, .label = std::nullopt}));
}

TEST_F(DatabaseRows, FillPairsTuplesAndArrays) {
  const Result pairs = select("'a', 1");
  EXPECT_THAT((pairs.as<std::pair<std::string, std::int32_t>>()), ElementsAre(Pair("a", 1)));
  const Result nested = select("1, 2, 'b', true");
  EXPECT_EQ((nested.only<std::pair<Point, std::pair<std::string, bool>>>()),
            std::pair(Point{.x = 1, .y = 2}, std::pair("b"s, true)));
  EXPECT_EQ((nested.only<std::tuple<std::int32_t, std::int64_t, std::string, bool>>()),
            std::tuple(1, std::int64_t{2}, "b"s, true));
  EXPECT_THAT((select("1, 2, 3").only<std::array<std::int32_t, 3>>()), ElementsAre(1, 2, 3));
}

TEST_F(DatabaseRows, ConvertOneColumnToItsValues) {
  const Result result = select("x::text FROM generate_series(1, 3) x ORDER BY x");
  EXPECT_THAT(result.column<std::string>(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(result.column<std::string_view>(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(result.as<std::string>(), ElementsAre("1", "2", "3"));
  EXPECT_EQ(result.first<std::string>(), "1");
  EXPECT_THAT(select("ARRAY[1, 2]").column<std::vector<std::int32_t>>(),
              ElementsAre(ElementsAre(1, 2)));
}

TEST_F(DatabaseRows, MayBeEmpty) {
  const Result none = select("1, 2 WHERE false");
  EXPECT_TRUE(none.empty());
  EXPECT_THAT(none.as<Point>(), IsEmpty());
  EXPECT_EQ(none.first<Point>(), std::nullopt);
  EXPECT_THROW((void)none.only<Point>(), ResultMismatch);
  EXPECT_THAT(select("1 WHERE false").column<std::int32_t>(), IsEmpty());
  EXPECT_THAT(Result().as<Point>(), IsEmpty());
  EXPECT_EQ(Result().first<Point>(), std::nullopt);
}

TEST_F(DatabaseRows, RequireTheRightNumberOfColumns) {
  for (const std::string expressions : {"1", "1, 2, 3"}) {
    const Result result = select(expressions);
    EXPECT_THROW((void)result.as<Point>(), ResultMismatch) << expressions;
    EXPECT_THROW((void)result.first<Point>(), ResultMismatch) << expressions;
    EXPECT_THROW((void)result.only<Point>(), ResultMismatch) << expressions;
  }
  EXPECT_THROW((void)select("1, 2").column<std::int32_t>(), ResultMismatch);
  EXPECT_THROW((void)select("1, 2, 3 WHERE false").as<Point>(), ResultMismatch)
      << "even if there are no rows";
}

TEST_F(DatabaseRows, WithNullsFillOnlyOptionals) {
  EXPECT_EQ((select("NULL::int, 2").only<std::pair<std::optional<std::int32_t>, std::int32_t>>()),
            std::pair(std::optional<std::int32_t>(), 2));
  EXPECT_THROW((void)select("NULL::int, 2").only<Point>(), ResultMismatch);
}

TEST_F(DatabaseRows, ReadEnumerationsByName) {
  EXPECT_EQ(select("'DARK_BLUE'").only<Colour>(), Colour::darkBlue);
  EXPECT_THAT(select("unnest(ARRAY['RED', NULL])").column<std::optional<Colour>>(),
              ElementsAre(Colour::red, std::nullopt));
  EXPECT_THAT([this] { (void)select("'GREEN'").only<Colour>(); }, Throws<std::runtime_error>());
  EXPECT_THROW((void)select("NULL::text").only<Colour>(), ResultMismatch);
}

TEST_F(DatabaseRows, ReadStrongIdsAndNames) {
  EXPECT_THAT(
      select("* FROM (VALUES (7::int8, 1::int8, 'a'), (8, NULL, 'b')) membership").as<Membership>(),
      ElementsAre(
          Membership{.error = ErrorId(7), .cluster = ClusterId(1), .by = InstanceName("a")},
          Membership{.error = ErrorId(8), .cluster = std::nullopt, .by = InstanceName("b")}));
  EXPECT_THAT(select("ARRAY[7, 8]::int8[]").only<std::vector<ErrorId>>(),
              ElementsAre(ErrorId(7), ErrorId(8)));
  EXPECT_THAT(select("ARRAY[]::int8[]").only<std::vector<ErrorId>>(), IsEmpty());
  EXPECT_THROW((void)select("ARRAY[7, NULL]::int8[]").only<std::vector<ErrorId>>(), ResultMismatch);
  EXPECT_THROW((void)select("'7'").only<ErrorId>(), ResultMismatch);
  EXPECT_THROW((void)select("NULL::int8").only<ErrorId>(), ResultMismatch);
}

TEST_F(DatabaseRows, SendIdsAsNumbersAndNamesAsText) {
  EXPECT_THAT((select("$1::int8, $2::int8, $3::int8", ErrorId(7), std::optional(ErrorId(8)),
                      std::optional<ErrorId>())
                   .only<std::array<std::optional<std::int64_t>, 3>>()),
              ElementsAre(7, 8, std::nullopt));
  EXPECT_EQ(select("$1::text", InstanceName("a")).only<std::string>(), "a");
  EXPECT_THAT(select("unnest($1::int8[])", std::vector{ErrorId(7), ErrorId(8)}).column<ErrorId>(),
              ElementsAre(ErrorId(7), ErrorId(8)));
  const std::vector<Membership> members{
      {.error = ErrorId(7), .cluster = ClusterId(1), .by = InstanceName("a")},
      {.error = ErrorId(8), .cluster = std::nullopt, .by = InstanceName("b")},
  };
  EXPECT_EQ(select("* FROM unnest($1::int8[], $2::int8[], $3::text[])",
                   columns(members, &Membership::error, &Membership::cluster, &Membership::by))
                .as<Membership>(),
            members);
}

TEST_F(DatabaseRows, PreserveUnknownNames) {
  const auto names = select("unnest(ARRAY['RED', 'GREEN'])").column<StoredName<Colour>>();
  ASSERT_EQ(names.size(), 2);
  EXPECT_EQ(names[0], Colour::red);
  EXPECT_EQ(names[0].text(), "RED");
  EXPECT_EQ(names[1].value(), std::nullopt);
  EXPECT_EQ(names[1].text(), "GREEN");
  EXPECT_EQ(select("NULL::text").only<std::optional<StoredName<Colour>>>(), std::nullopt);
}

TEST_F(DatabaseRows, SendEnumerationsAsText) {
  const auto known = domain::storedName<Colour>("RED");
  const auto strange = domain::storedName<Colour>("GREEN");
  EXPECT_THAT((select("$1::text, $2::text, $3::text, $4::text", Colour::darkBlue, known, strange,
                      std::optional<Colour>())
                   .only<std::array<std::optional<std::string>, 4>>()),
              ElementsAre("DARK_BLUE", "RED", "GREEN", std::nullopt));
  EXPECT_THAT((select("array_to_string($1::text[], ','), array_to_string($2::text[], ',')",
                      std::vector{Colour::red, Colour::darkBlue}, std::vector{known, strange})
                   .only<std::pair<std::string, std::string>>()),
              Pair("RED,DARK_BLUE", "RED,GREEN"));
}

TEST_F(DatabaseRows, ExpandParameterValuesInPlace) {
  const Parameters inner = encoded("b", std::optional<std::string>(), std::vector{"c"s, "d"s});
  ASSERT_EQ(inner.size(), 3);
  const Parameters all = encoded("a"s, inner, Parameters(), "e");
  EXPECT_EQ(all.size(), 5);
  for (const auto& spliced :
       {select("$1, $2, $3, array_to_string($4, ','), $5", all),
        select("$1, $2, $3, array_to_string($4, ','), $5", "a", inner, Parameters(), "e"s)}) {
    EXPECT_THAT((spliced.only<std::array<std::optional<std::string>, 5>>()),
                ElementsAre("a", "b", std::nullopt, "c,d", "e"));
  }
}

TEST_F(DatabaseRows, SendProjectionsOfRowsAsArrays) {
  const std::vector<Box> boxes{
      {.id = 7, .from = {.x = 1, .y = 2}, .to = {}, .label = "a"},
      {.id = 8, .from = {.x = 3, .y = 4}, .to = {}, .label = std::nullopt},
  };
  const auto sum = [](const Box& box) { return box.from.x + box.from.y; };
  const auto unnested = [this, &sum](const std::vector<Box>& rows) {
    return select("* FROM unnest($2::int8[], $3::int4[], $4::text[]) WHERE $1", true,
                  columns(rows, &Box::id, sum, &Box::label))
        .as<std::tuple<std::int64_t, std::int32_t, std::optional<std::string>>>();
  };
  EXPECT_THAT(unnested(boxes), ElementsAre(std::tuple(7, 3, "a"), std::tuple(8, 7, std::nullopt)));
  EXPECT_THAT(unnested({}), IsEmpty());
}

}  // namespace
}  // namespace auth_errors::tests
