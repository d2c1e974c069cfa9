#include "controllers/errors/batch_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(BatchReader, SplitsAnArrayIntoItsElements) {
  EXPECT_THAT(*splitJsonArray(R"( [ {"a":1} , {"b":[1,2]},3 ] )", 10),
              ElementsAre(R"({"a":1})", R"({"b":[1,2]})", "3"));
  EXPECT_THAT(*splitJsonArray("[]", 10), IsEmpty());
  EXPECT_THAT(*splitJsonArray("[ \n ]", 10), IsEmpty());
}

TEST(BatchReader, IgnoresBracketsAndCommasInsideStrings) {
  EXPECT_THAT(*splitJsonArray(R"([{"a":"],}\"[{\\"},{"b":"\\\","}])", 10),
              ElementsAre(R"({"a":"],}\"[{\\"})", R"({"b":"\\\","})"));
}

TEST(BatchReader, ReadsTheElementsAroundABrokenOne) {
  EXPECT_THAT(*splitJsonArray(R"([{"a":1],{"b":2}])", 10), ElementsAre(R"({"a":1])", R"({"b":2})"));
  EXPECT_THAT(*splitJsonArray(R"([{"a":1},,{"b":2},])", 10),
              ElementsAre(R"({"a":1})", "", R"({"b":2})", ""));
}

TEST(BatchReader, RefusesAnythingButAnArray) {
  for (const std::string text :
       {"", "{}", "[", "[{}", R"(["a)", "[1] 2", "[1]]", "[1}", "null", R"(["\)"}) {
    EXPECT_FALSE(splitJsonArray(text, 10)) << text;
  }
}

TEST(BatchReader, StopsAfterTheEntryLimit) {
  EXPECT_THAT(*splitJsonArray("[1,2,3]", 3), SizeIs(3));
  EXPECT_THAT(*splitJsonArray("[1,2,3,4,5,6", 3), SizeIs(4));
  EXPECT_THAT(splitLines("1\n2\n3\n4\n5\n", 3), SizeIs(4));
}

TEST(BatchReader, SplitsLinesAndSkipsBlankOnes) {
  EXPECT_THAT(splitLines("{\"a\":1}\r\n\n  \n{\"b\":2}", 10),
              ElementsAre(R"({"a":1})", R"({"b":2})"));
  EXPECT_THAT(splitLines("", 10), IsEmpty());
}

}  // namespace
}  // namespace auth_errors::controllers
