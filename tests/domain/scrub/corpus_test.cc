// Verifies that the scrubber keeps its measured quality (tests/corpus/README.md). For the held-out
// half only counts are printed.
#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/scrub/kinds.h"
#include "tests/support/project_paths.h"
#include "tests/support/scrub_corpus.h"

namespace auth_errors::tests {
namespace {

std::size_t ecosystemsIn(const std::vector<CorpusLine>& lines) {
  std::set<std::string> names;
  for (const CorpusLine& line : lines) {
    names.insert(line.ecosystem);
  }
  return names.size();
}

TEST(ScrubCorpus, HasTwoHalvesOfManyEcosystems) {
  const std::vector<CorpusLine> open = readCorpus(openCorpus());
  const std::vector<CorpusLine> heldOut = readCorpus(heldOutCorpus());
  EXPECT_GE(open.size(), 600U);
  EXPECT_GE(heldOut.size(), 600U);
  EXPECT_GE(ecosystemsIn(open), 12U);
  EXPECT_GE(ecosystemsIn(heldOut), 12U);
}

TEST(ScrubCorpus, HasNoLineInBothHalves) {
  std::set<std::string> open;
  for (const CorpusLine& line : readCorpus(openCorpus())) {
    open.insert(line.text);
  }
  EXPECT_EQ(std::ranges::count_if(readCorpus(heldOutCorpus()),
                                  [&](const CorpusLine& line) { return open.contains(line.text); }),
            0);
}

TEST(ScrubCorpus, KeepsItsScoreOnTheOpenHalf) {
  const CorpusResult result = measureScrubber(readCorpus(openCorpus()));
  EXPECT_GE(result.recall(), 0.98) << result.removed << " of " << result.secrets;
  // One clean line in six was written to resemble a line with a secret.
  EXPECT_LE(result.touchedShare(), 0.015) << result.touched << " of " << result.cleanLines;
}

TEST(ScrubCorpus, KeepsItsScoreOnTheHeldOutHalf) {
  const CorpusResult result = measureScrubber(readCorpus(heldOutCorpus()));
  EXPECT_GE(result.recall(), 0.98) << result.removed << " of " << result.secrets;
  EXPECT_LE(result.touchedShare(), 0.01) << result.touched << " of " << result.cleanLines;
}

TEST(ScrubCorpus, CountsASecretAsRemovedOnlyIfEveryPieceIs) {
  const std::vector<CorpusLine> lines = {{.ecosystem = "x",
                                          .text = "the guest network is sunflower sunflower",
                                          .secrets = {"sunflower sunflower"}},
                                         {.ecosystem = "x", .text = "a clean line", .secrets = {}}};
  const CorpusResult result = measureScrubber(lines);
  EXPECT_EQ(result.secrets, 1U);
  EXPECT_EQ(result.removed, 0U);
  EXPECT_EQ(result.cleanLines, 1U);
  EXPECT_EQ(result.touched, 0U);
}

std::string documented(std::string_view half, const std::filesystem::path& file) {
  const std::vector<CorpusLine> lines = readCorpus(file);
  const CorpusResult result = measureScrubber(lines);
  return std::format("| {} | {} | {} | {} | {:.3f} | {} | {} | {:.3f} |", half, lines.size(),
                     result.secrets, result.removed, result.recall(), result.cleanLines,
                     result.touched, result.touchedShare());
}

TEST(PrivacyDocument, QuotesTheMeasuredFigures) {
  std::ifstream file(projectPath("docs/privacy.md"));
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(document, testing::HasSubstr(documented("open", openCorpus())));
  EXPECT_THAT(document, testing::HasSubstr(documented("held out", heldOutCorpus())));
}

TEST(PrivacyDocument, ExplainsEveryMarker) {
  std::ifstream file(projectPath("docs/privacy.md"));
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    EXPECT_THAT(document, testing::HasSubstr("`" + std::string(row.marker) + "`"));
  }
}

}  // namespace
}  // namespace auth_errors::tests
