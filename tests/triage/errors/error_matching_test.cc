// Trigram searches, compared with plain ones.
#include "triage/errors/error_matching.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace auth_errors::triage {
namespace {

TEST(ErrorMatching, FindsPartsOfAnyLength) {
  const SearchableText text("the pool is empty");
  for (const std::string part : {"", "t", "th", "the", "pool", " is ", "ty", "the pool is empty"}) {
    EXPECT_TRUE(text.contains(part)) << part;
  }
  for (const std::string part : {"x", "tp", "hte", "pools", "the pool is empty."}) {
    EXPECT_FALSE(text.contains(part)) << part;
  }
  EXPECT_FALSE(SearchableText("").contains("a"));
  EXPECT_TRUE(SearchableText("").contains(""));
}

// Every trigram of the part occurs, but the part does not.
TEST(ErrorMatching, RejectsTextsThatOnlyShareTheTrigrams) {
  EXPECT_FALSE(SearchableText("abcd bcde").contains("abcde"));
}

TEST(ErrorMatching, AgreesWithAPlainSearch) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto texts = [&random](std::size_t most) {
    std::string text(random() % most, ' ');
    for (char& c : text) {
      c = static_cast<char>("ab\xC3\xA4"[random() % 4]);
    }
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = texts(40);
    const std::string part = texts(7);
    EXPECT_EQ(SearchableText(text).contains(part), text.contains(part)) << text << ", " << part;
  }
}

}  // namespace
}  // namespace auth_errors::triage
