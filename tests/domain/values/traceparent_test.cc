#include "domain/values/traceparent.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

constexpr std::string_view kIds = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

std::string with(std::string_view version, std::string_view rest) {
  return std::string(version) + "-" + std::string(kIds) + "-" + std::string(rest);
}

TEST(Traceparent, AcceptsVersion00Unchanged) {
  for (const std::string_view flags : {"00", "01", "02", "ff"}) {
    EXPECT_EQ(readTraceparent(with("00", flags)), with("00", flags));
  }
}

TEST(Traceparent, ReadsALaterVersionUpToItsFourthField) {
  EXPECT_EQ(readTraceparent(with("01", "01")), with("00", "01"));
  EXPECT_EQ(readTraceparent(with("cc", "01-what-the-future-will-be-like")), with("00", "01"));
  EXPECT_EQ(readTraceparent(with("fe", "00-")), with("00", "00"));
  EXPECT_EQ(readTraceparent(with("01", "fe")), with("00", "00"));
  EXPECT_EQ(readTraceparent(with("01", "0b")), with("00", "01"));
  EXPECT_EQ(readTraceparent(with("01", "99")), with("00", "01"));
}

TEST(Traceparent, IsEmptyInAnyOtherForm) {
  const std::string good = with("00", "01");
  const std::string zeroTrace = "00-" + std::string(32, '0') + "-b7ad6b7169203331-01";
  const std::string zeroParent =
      "00-0af7651916cd43dd8448eb211c80319c-" + std::string(16, '0') + "-01";
  std::string upperCase = good;
  upperCase.replace(3, 1, "A");
  std::string underscore = good;
  underscore.replace(2, 1, "_");
  std::string shifted = good;
  shifted.replace(35, 2, "0-");
  for (const std::string& text : {std::string(),
                                  std::string("00"),
                                  good + "-",
                                  good + "-00",
                                  good + " ",
                                  " " + good,
                                  good.substr(1),
                                  good.substr(0, 54),
                                  with("ff", "01"),
                                  with("ff", "01-x"),
                                  with("0", "01"),
                                  with("000", "01"),
                                  with("0A", "01"),
                                  with("01", "0"),
                                  with("01", "0g"),
                                  with("01", "01x"),
                                  with("01", "011"),
                                  with("00", "0A"),
                                  upperCase,
                                  underscore,
                                  shifted,
                                  zeroTrace,
                                  zeroParent,
                                  std::string(55, '-'),
                                  std::string(55, '\0'),
                                  std::string(100'000, 'a')}) {
    EXPECT_EQ(readTraceparent(text), std::nullopt) << text.substr(0, 80);
  }
}

// A header may contain anything: no prefix and no changed byte may yield a value that SQL would
// refuse.
TEST(Traceparent, IsWellFormedOrEmptyForAnyCorruptByte) {
  const std::string good = with("01", "01-x");
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_EQ(readTraceparent(good.substr(0, at)).has_value(), at == 55 || at == 56) << at;
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = good;
      changed.at(at) = static_cast<char>(byte);
      if (const auto read = readTraceparent(changed)) {
        EXPECT_EQ(read->size(), 55U);
        EXPECT_TRUE(read->starts_with("00-"));
        EXPECT_EQ(read->find_first_not_of("0123456789abcdef-"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace auth_errors::domain
