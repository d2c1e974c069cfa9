#include "controllers/http/query_string.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Pair = std::pair<std::string, std::string>;

std::vector<Pair> fieldsOf(std::string_view query) {
  std::vector<Pair> pairs;
  for (const QueryField& field : parseQueryString(query).fields) {
    pairs.emplace_back(field.name, field.value);
  }
  return pairs;
}

// "field:code" of each problem.
std::vector<std::string> problemsOf(std::string_view query) {
  std::vector<std::string> problems;
  for (const FieldError& problem : parseQueryString(query).problems) {
    problems.push_back(problem.field + ":" + problem.code);
  }
  return problems;
}

TEST(QueryString, IsEmptyWithoutParameters) {
  for (const char* query : {"", "&", "&&"}) {
    EXPECT_THAT(fieldsOf(query), IsEmpty()) << query;
    EXPECT_THAT(problemsOf(query), IsEmpty()) << query;
  }
}

TEST(QueryString, KeepsTheOrderOfItsFields) {
  EXPECT_THAT(fieldsOf("b=1&a=2&&c&d="),
              ElementsAre(Pair("b", "1"), Pair("a", "2"), Pair("c", ""), Pair("d", "")));
}

TEST(QueryString, DecodesEscapesAndPlusSigns) {
  EXPECT_THAT(fieldsOf("q=a+b%20c%2Bd%26%3d&%6ea%6De=%C3%BC=%e2%82%ac"),
              ElementsAre(Pair("q", "a b c+d&="), Pair("name", "ü=€")));
  EXPECT_THAT(fieldsOf("q=%00"), ElementsAre(Pair("q", std::string(1, '\0'))));
}

TEST(QueryString, ReportsEveryMalformedField) {
  EXPECT_THAT(problemsOf("a=%&b=%4&c=%zz&d=%C3&e=%ED%A0%80&f=\xff&g=ok"),
              ElementsAre("a:malformed", "b:malformed", "c:malformed", "d:malformed", "e:malformed",
                          "f:malformed"));
  EXPECT_THAT(problemsOf("%ff=1"), ElementsAre("query:malformed"));
  EXPECT_THAT(problemsOf(std::string(65, 'n') + "=1"), ElementsAre("query:malformed"));
}

TEST(QueryString, ReportsARepeatedFieldOnce) {
  EXPECT_THAT(problemsOf("a=1&b=2&a=1&%61=3"), ElementsAre("a:repeated"));
  EXPECT_THAT(problemsOf("a=%&a=1"), ElementsAre("a:malformed"));
}

TEST(QueryString, LimitsTheNumberOfFields) {
  std::string query;
  for (int count = 0; count < 5'000; ++count) {
    query += "p" + std::to_string(count) + "&";
  }
  EXPECT_THAT(problemsOf(query), ElementsAre("query:too_many"));
  EXPECT_EQ(fieldsOf(query).size(), 32U);
}

}  // namespace
}  // namespace auth_errors::controllers
