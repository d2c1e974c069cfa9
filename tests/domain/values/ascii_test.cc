#include "domain/values/ascii.h"

#include <string>

#include <gtest/gtest.h>

#include "domain/values/hex.h"

namespace auth_errors::domain {
namespace {

TEST(Ascii, HasTheClassesOfAsciiOnly) {
  EXPECT_TRUE(isDigit('0') && isDigit('9') && isLetter('a') && isLetter('Z') && isAlnum('5'));
  EXPECT_FALSE(isDigit('/') || isDigit(':') || isLetter('[') || isLetter('`') || isAlnum('_'));
  EXPECT_FALSE(isAlnum('\xe9'));
  EXPECT_EQ(toLower('Q'), 'q');
  EXPECT_EQ(toUpper('q'), 'Q');
  EXPECT_EQ(toLower('['), '[');
  EXPECT_EQ(toUpper('{'), '{');
}

TEST(Ascii, TrimsBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t ", kBlanks), "a b");
  EXPECT_EQ(trimmed(" \t ", kBlanks), "");
  EXPECT_EQ(trimmed("", kBlanks), "");
  EXPECT_EQ(trimmed(" a\n", kBlanks), "a\n");
}

TEST(Ascii, RecognisesPlainNames) {
  EXPECT_TRUE(isPlainName("a.B_2-"));
  EXPECT_TRUE(isPlainName(std::string(kMaxPlainName, 'a')));
  EXPECT_FALSE(isPlainName(std::string(kMaxPlainName + 1, 'a')));
  for (const char* bad : {"", "a b", "a/b", "\xc3\xa9"}) {
    EXPECT_FALSE(isPlainName(bad)) << bad;
  }
}

TEST(Hex, ReadsEitherCaseAndWritesLowerCase) {
  EXPECT_EQ(hexDigit('0'), 0U);
  EXPECT_EQ(hexDigit('f'), 15U);
  EXPECT_EQ(hexDigit('A'), 10U);
  for (const char bad : {'g', 'G', '/', ':', '@', '`', '\0'}) {
    EXPECT_FALSE(hexDigit(bad)) << bad;
  }
  EXPECT_EQ(toHex(std::as_bytes(std::span("\x00\xff\x1a", 3))), "00ff1a");
}

TEST(Hex, RecognisesAHash) {
  EXPECT_TRUE(isHash(std::string(64, 'a')));
  EXPECT_FALSE(isHash(std::string(63, 'a')));
  EXPECT_FALSE(isHash(std::string(64, 'A')));
  EXPECT_FALSE(isHash(std::string(64, 'g')));
}

}  // namespace
}  // namespace auth_errors::domain
