// What the weights add to the rules, and that they are the ones of the corpus.
#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "domain/scrub_site_learned.h"
#include "domain/scrub_sites.h"
#include "domain/scrub_weights.h"
#include "domain/scrubber.h"
#include "tests/support/scrub_corpus.h"

namespace auth_errors::domain {
namespace {

std::string scrubbedText(std::string_view text) { return scrub(text, {}).text; }

TEST(ScrubWeights, WereLearnedFromTheOpenHalfAsItIs) {
  EXPECT_EQ(kLearnedLines, tests::readCorpus(tests::openCorpus()).size())
      << "the open half has changed: run `./dev learn`";
}

TEST(ScrubWeights, AreWrittenWithoutAnythingToEscape) {
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
    ASSERT_EQ(row.size(), 2 * kPlacesInRow);
  }
}

TEST(ScrubWeights, HaveAPlaceForEveryFeature) {
  EXPECT_EQ(placeOf(0), 0U);
  EXPECT_EQ(placeOf(0xFFFFFFFFU), kWeightPlaces - 1);
  EXPECT_EQ(nextPlace(kWeightPlaces - 1), 0U);
}

TEST(ScrubLearned, TakesWhatNoSingleRuleTakes) {
  constexpr auto kTexts = std::to_array<std::array<std::string_view, 2>>({
      {"She sent us her password in the mail: Lavendel&Honig8 and asks why it fails",
       "Lavendel&Honig8"},
      {"[12:05:12 INFO]: Blokk3r issued server command: /login dragon1234", "dragon1234"},
      {"[kai] try it with admin/changeme123, still the default on the staging box", "changeme123"},
      {"{auth_handler,check,[<<\"admin\">>,<<\"h4sen-B4u\">>],[]}", "h4sen-B4u"},
  });
  for (const auto& [text, secret] : kTexts) {
    EXPECT_FALSE(scrubbedText(text).contains(secret)) << scrubbedText(text);
  }
}

TEST(ScrubLearned, LeavesWhatOnlyStandsBesideALabel) {
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

TEST(ScrubLearned, HasNothingToSayAboutAValueAlone) {
  for (const std::string_view text : {"malice42", "'malice42'", "malice42 alice421 x_alice42"}) {
    EXPECT_EQ(scrubbedText(text), text);
  }
}

TEST(ScrubLearned, NeverSpeaksAgainstWhatIsAssignedToTheNameOfASecret) {
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
  forEachSite(text, [&](const Line& line, std::size_t i, const Site& site) {
    Features features;
    readFeatures(line, i, site, features);
    most = std::max(most, features.all().size());
  });
  EXPECT_GT(most, 20U);
  EXPECT_LT(most, 64U) << "what does not fit is left out: make room";
}

}  // namespace
}  // namespace auth_errors::domain
