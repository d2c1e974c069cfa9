// What the weights add to the rules, and that they match the corpus.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "domain/scrub/scrubber.h"
#include "domain/scrub/site_learned.h"
#include "domain/scrub/sites.h"
#include "domain/scrub/weights.h"
#include "tests/support/scrub_corpus.h"

namespace auth_errors::domain {
namespace {

std::string scrubbedText(std::string_view text) { return scrub(text, {}).text; }

TEST(ScrubWeights, AreLearnedFromTheCurrentOpenHalf) {
  const auto lines = tests::readCorpus(tests::openCorpus());
  EXPECT_EQ(kLearnedFrom, tests::digestOf(tests::examplesOf(lines)))
      << "the open half or the features have changed: run `./dev learn`";
}

TEST(ScrubWeights, NeedNoEscapingInTheirSource) {
  for (int number = 0; number < kNumbers; ++number) {
    const char letter = letterOf(number);
    EXPECT_EQ(numberOf(letter), number);
    EXPECT_TRUE(letter > ' ' && letter <= '~' && letter != '"' && letter != '\\') << letter;
  }
  for (const int weight : {-kMostWeight, -1, 0, 1, kMostWeight}) {
    EXPECT_EQ(weightIn(letterOfWeight(weight)), weight);
  }
  EXPECT_EQ(weightIn(letterOfWeight(1000)), kMostWeight);
  for (const std::string_view row : kWeightRows) {
    ASSERT_EQ(row.size(), kPlaceSize * kPlacesInRow);
  }
}

TEST(ScrubWeights, HaveAPlaceForEveryFeature) {
  EXPECT_EQ(placeOf(0), 0U);
  EXPECT_EQ(placeOf(0xFFFFFFFFU), kWeightPlaces - 1);
  EXPECT_EQ(nextPlace(kWeightPlaces - 1), 0U);
}

TEST(ScrubLearned, RedactsSecretsThatNoSingleRuleFinds) {
  constexpr auto kTexts = std::to_array<std::array<std::string_view, 2>>({
      {"[12:05:12 INFO]: Blokk3r issued server command: /login dragon1234",
       "[12:05:12 INFO]: Blokk3r issued server command: /login [redacted:opaque]"},
      {"[kai] try it with admin/changeme123, still the default on the staging box",
       "[kai] try it with [redacted:opaque], still the default on the staging box"},
      {"{auth_handler,check,[<<\"admin\">>,<<\"h4sen-B4u\">>],[]}",
       "{auth_handler,check,[<<\"admin\">>,<<\"[redacted:opaque]\">>],[]}"},
  });
  for (const auto& [text, expected] : kTexts) {
    EXPECT_EQ(scrubbedText(text), expected);
  }
}

TEST(ScrubLearned, LeavesTheSubmittedIdentifierToItsOwnMarker) {
  const ScrubContext alice{.userId = "alice42"};
  EXPECT_EQ(scrub("try /login alice42 with her old password", alice).text,
            "try /login [redacted:user-id] with her old password");
  EXPECT_EQ(scrub("server command: /login alice42-Sommer#24", alice).text,
            "server command: /login [redacted:opaque]");
}

TEST(ScrubLearned, KeepsTheNamesInFrames) {
  constexpr auto kFrames = std::to_array<std::string_view>({
      "/app/models/user.rb:12:in 'User#check'",
      "main.(*H).Login-range1(0x1)\n\t/b/m.go:1 +0x1",
      "#00 pc 000000000004e5a4  /lib64/libc.so (abort+164)",
      "0> C:\\b\\login.cpp(42): shop!auth::login+0x4F",
  });
  for (const std::string_view frame : kFrames) {
    EXPECT_EQ(scrubbedText(frame), frame);
  }
}

TEST(ScrubLearned, KeepsWordsThatMerelyFollowALabel) {
  constexpr auto kTexts = std::to_array<std::string_view>({
      "password sha256 is too weak, password argon2id is not",
      "FinTS: HIRMG 9910:Dialog abgebrochen, PIN falsch",
      "Token validated by issuer-eu-3 for client reporting-web in 12 ms",
      "Password of svc-backup changed by j.doe on host web-17",
      "The key rotation job key-rotator-7d9f finished with exit code 137",
  });
  for (const std::string_view text : kTexts) {
    EXPECT_EQ(scrubbedText(text), text);
  }
}

TEST(ScrubLearned, KeepsAValueWithoutContext) {
  for (const std::string_view text : {"malice42", "'malice42'", "malice42 alice421 x_alice42"}) {
    EXPECT_EQ(scrubbedText(text), text);
  }
}

TEST(ScrubLearned, NeverOverridesAnAssignmentToTheNameOfASecret) {
  for (const std::string_view word : {"alt", "status", "sommer", "tiger", "banane"}) {
    const std::string text = "newpass=Neu-7-mal&oldpass=" + std::string(word) + "&user=bob";
    EXPECT_EQ(scrubbedText(text),
              "newpass=[redacted:password]&oldpass=[redacted:password]&user=bob");
  }
}

TEST(ScrubLearned, ReadsABoundedNumberOfFeatures) {
  std::string text = "login failed for";
  for (int word = 0; word < 1000; ++word) {
    text +=
        " (user='x" + std::to_string(word) + "', password hint \"" + std::string(300, 'q') + "\")";
  }
  std::size_t most = 0;
  forEachSite(text, [&](const Line& line, std::size_t i, const Site& site,
                        std::optional<RedactionKind> rule) {
    Features features;
    readFeatures(line, i, site, rule, features);
    most = std::max(most, features.all().size());
    return false;
  });
  EXPECT_GT(most, 20U);
  EXPECT_LT(most, 112U) << "features beyond the limit are dropped: raise it";
}

}  // namespace
}  // namespace auth_errors::domain
