#include "platform/security/organisation_patterns.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/scrub/scrubber.h"
#include "domain/values/utf8.h"

namespace auth_errors::security {
namespace {

using domain::RedactionKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Patterns = std::vector<std::string>;

std::shared_ptr<const OrganisationPatterns> made(const Patterns& secrets,
                                                 const Patterns& allowed = {}) {
  auto patterns = OrganisationPatterns::make(secrets, allowed);
  if (!patterns) {
    ADD_FAILURE() << patterns.error().front().reason;
    return nullptr;
  }
  return *std::move(patterns);
}

std::vector<std::string> problemsOf(const Patterns& secrets, const Patterns& allowed = {}) {
  const auto patterns = OrganisationPatterns::make(secrets, allowed);
  std::vector<std::string> reasons;
  if (!patterns) {
    for (const PatternProblem& problem : patterns.error()) {
      reasons.push_back(problem.reason);
    }
  }
  return reasons;
}

// Sets process-wide patterns for the duration of a test.
class PatternScrubbing : public testing::Test {
 protected:
  ~PatternScrubbing() override { domain::setScrubPatterns(nullptr); }

  static void set(const Patterns& secrets, const Patterns& allowed = {}) {
    domain::setScrubPatterns(made(secrets, allowed));
  }
  static std::string scrubbed(std::string_view text) { return domain::scrub(text, {}).text; }
};

TEST_F(PatternScrubbing, RedactsMatchesAnywhere) {
  set({"ACME-[0-9]{4,8}", "(?i)badge [a-z]{2}[0-9]{2}"});
  EXPECT_EQ(scrubbed("ACME-123456 of Badge Xy42, ACME-77777777."),
            "[redacted:pattern] of [redacted:pattern], [redacted:pattern].");
  EXPECT_EQ(scrubbed("ACME-123 badge x42"), "ACME-123 badge x42");
}

TEST_F(PatternScrubbing, RedactsOnlyTheFirstGroupIfThereIsOne) {
  set({R"(customer=(\w+)/(\w+))", R"(order (?:no\. (\d+)|[A-Z]{3}))", R"(\bKX\d{6}\b)"});
  EXPECT_EQ(scrubbed("customer=miller/77 order no. 4711 order ABC KX123456"),
            "customer=[redacted:pattern]/77 order no. [redacted:pattern] [redacted:pattern] "
            "[redacted:pattern]");
}

TEST_F(PatternScrubbing, SkipsAnEmptyGroup) {
  set({"customer=(x*)"});
  EXPECT_EQ(scrubbed("customer= customer=xx"), "customer= customer=[redacted:pattern]");
}

TEST_F(PatternScrubbing, RedactsTheTextAroundAMarkerWithinAMatch) {
  set({"(?s)X-Acme: (.+);"});
  EXPECT_EQ(scrubbed("X-Acme: one bob@example.com two; rest"),
            "X-Acme: [redacted:pattern][redacted:email][redacted:pattern]; rest");
}

TEST_F(PatternScrubbing, CountsThemUnderTheirKind) {
  set({"ACME-[0-9]+"});
  const domain::ScrubResult result = domain::scrub("ACME-1 ACME-2 bob@example.com", {});
  EXPECT_EQ(result.counts.of(RedactionKind::pattern), 2U);
  EXPECT_EQ(result.counts.of(RedactionKind::email), 1U);
}

TEST_F(PatternScrubbing, NeverSplitsCodePoints) {
  set({R"(ACME\C)", "고객[0-9]+"});
  EXPECT_EQ(scrubbed("ACME한 고객42번"), "[redacted:pattern] [redacted:pattern]번");
}

TEST_F(PatternScrubbing, IncludesThePatternsInTheVersion) {
  EXPECT_EQ(domain::scrubberVersion(), std::to_string(domain::kScrubberVersion));
  set({"ACME-[0-9]+"});
  const std::string one = domain::scrubberVersion();
  EXPECT_THAT(one,
              testing::MatchesRegex(std::to_string(domain::kScrubberVersion) + "\\.[0-9a-f]{12}"));
  set({"ACME-[0-9]{1,}"});
  EXPECT_NE(domain::scrubberVersion(), one);
  set({}, {"ACME-[0-9]+"});
  EXPECT_NE(domain::scrubberVersion(), one);
  set({"ACME-[0-9]+"});
  EXPECT_EQ(domain::scrubberVersion(), one);
}

TEST_F(PatternScrubbing, IsIdempotentOnRandomMixtures) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  set({"ACME-[0-9]+", "key=(.+)", R"((?s)<k>(.*?)</k>)", R"(\bx+\b)", "고객.", R"(t\]\w+)"});
  const std::vector<std::string_view> pieces = {
      "ACME-", "1",  "42", "key=", "<k>",      "</k>",           "x", "xx", " ",         "\n",
      "고객",  "한", "=",  "a",    "bob@a.de", "[redacted:jwt]", "[", "]",  "password=", "t]"};
  std::uniform_int_distribution<std::size_t> piece(0, pieces.size() - 1);
  std::uniform_int_distribution<std::size_t> length(1, 24);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = length(random); n > 0; --n) {
      text += pieces[piece(random)];
    }
    const std::string once = scrubbed(text);
    ASSERT_TRUE(domain::isValidUtf8(once)) << text;
    ASSERT_EQ(scrubbed(once), once) << text;
  }
}

TEST(OrganisationPatterns, FindSecretsInLongTexts) {
  const auto patterns = made({"<k>(?:.|\n)*?</k>", "token:[a-z]+", "ACME-[0-9]+"});
  for (const std::size_t before : {0U, 1U, 4'090U, 8'180U, 8'191U, 8'192U, 50'000U}) {
    const std::string front(before, ' ');
    const std::string block = "<k>" + std::string(kMaxPatternLookahead - 100, 'z') + "</k>";
    const std::string run = "token:" + std::string(30'000, 'y');
    for (const std::string& secret : {block, run, std::string("ACME-4711")}) {
      const std::string text = front + secret + " " + secret + "!";
      const auto first = patterns->nextSecret(text, 0);
      ASSERT_TRUE(first) << before;
      EXPECT_EQ(text.substr(first->begin, first->end - first->begin), secret) << before;
      const auto second = patterns->nextSecret(text, first->end);
      ASSERT_TRUE(second) << before;
      EXPECT_EQ(text.substr(second->begin, second->end - second->begin), secret) << before;
      EXPECT_FALSE(patterns->nextSecret(text, second->end)) << before;
    }
  }
}

TEST(OrganisationPatterns, ConsiderTheTextBeforeTheirStart) {
  const auto patterns = made({R"(\bKX[0-9]+)"});
  const std::string_view text = "aKX1 KX2";
  const auto found = patterns->nextSecret(text, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 5U);
}

double secondsFor(const OrganisationPatterns& patterns, std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += unit;
  }
  const std::clock_t start = std::clock();
  for (auto found = patterns.nextSecret(text, 0); found;
       found = patterns.nextSecret(text, found->end)) {
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Each match searches for an end that never comes, and a hundred patterns examine each byte.
TEST(OrganisationPatterns, TakeTimeProportionalToTheText) {
  Patterns many;
  for (int i = 0; i < 99; ++i) {
    many.push_back("(?i:vendor)" + std::to_string(i) + "-[a-z0-9]{8,40}");
  }
  many.emplace_back("Q(?:.*Z)?");
  const auto patterns = made(many);
  constexpr std::size_t kSmall = 10'000;
  for (const std::string_view unit :
       {"Q", "QQ\n", "vendor", "vendor1-", "vendor9-aaaaaaaa ", "[redacted:jwt]Q", "한Q", "\xBF"}) {
    bool linear = false;
    for (int tries = 0; tries < 3 && !linear; ++tries) {
      const double small = std::max(secondsFor(*patterns, unit, kSmall), 0.003);
      linear = secondsFor(*patterns, unit, 10 * kSmall) < 30 * small;
    }
    EXPECT_TRUE(linear) << unit;
  }
}

TEST(OrganisationPatterns, AllowWholeTokensOfAShape) {
  const auto patterns = made({}, {"build-[0-9a-f]{12}", "[0-9a-f]{40}"});
  EXPECT_TRUE(patterns->allows("build-0123456789ab"));
  EXPECT_TRUE(patterns->allows(std::string(40, 'e')));
  EXPECT_FALSE(patterns->allows("build-0123456789abc"));
  EXPECT_FALSE(patterns->allows("xbuild-0123456789ab"));
  EXPECT_FALSE(patterns->allows(""));
  EXPECT_FALSE(patterns->nextSecret("build-0123456789ab", 0));
  EXPECT_FALSE(made({"ACME-[0-9]+"})->allows("ACME-1"));
}

TEST(OrganisationPatterns, AreEmptyWithoutConfiguration) { EXPECT_EQ(made({}), nullptr); }

TEST(OrganisationPatterns, ReportAllProblemsAtOnce) {
  EXPECT_THAT(
      problemsOf({"ACME-[0-9]+", "foo(", R"((a)\1)", "x*", R"(\b)", R"([A-Za-z]{4,})",
                  R"(\[redacted)", std::string(kMaxPatternBytes + 1, 'q'), "a{1000}{1000}", "\xFF"},
                 {"bar)", "", R"(\S+)", "[A-Za-z0-9]{1,64}"}),
      ElementsAre("pattern 2 is not a valid RE2 expression: missing ): foo(",
                  AllOf(HasSubstr("pattern 3 is not a valid RE2 expression"),
                        HasSubstr("invalid escape sequence")),
                  "pattern 4 matches the empty text",
                  HasSubstr("pattern 5 matches the harmless line \"at com.example.auth."),
                  HasSubstr("pattern 6 matches the harmless line \"at com.example.auth."),
                  "pattern 7 matches the marker [redacted:authorization]",
                  "pattern 8 has more than 1000 bytes",
                  HasSubstr("pattern 9 is not a valid RE2 expression"), "pattern 10 is not UTF-8",
                  HasSubstr("pattern 1 is not a valid RE2 expression"),
                  "pattern 2 matches the empty text", HasSubstr("pattern 3 matches random tokens"),
                  HasSubstr("pattern 4 matches random tokens")));
}

TEST(OrganisationPatterns, AreLimitedInNumberAndSize) {
  EXPECT_THAT(problemsOf(Patterns(kMaxPatterns, "ACME-[0-9]+")), IsEmpty());
  EXPECT_THAT(problemsOf(Patterns(kMaxPatterns + 1, "ACME-[0-9]+")),
              ElementsAre("has 101 patterns; the maximum is 100"));
  EXPECT_THAT(problemsOf({}, Patterns(kMaxPatterns + 1, "ACME-[0-9]+")),
              ElementsAre("has 101 patterns; the maximum is 100"));
  EXPECT_THAT(problemsOf(Patterns(kMaxPatterns, "ACME-[a-z]{1,900}")),
              ElementsAre(HasSubstr("too large in total")));
}

}  // namespace
}  // namespace auth_errors::security
