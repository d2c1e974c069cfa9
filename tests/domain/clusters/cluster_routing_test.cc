// The route of an error through merges and splits, as a table.
#include "domain/clusters/cluster_routing.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

struct Merge {
  std::int64_t from;
  std::int64_t into;
};
struct Split {
  std::int64_t from;
  std::int64_t id;
  std::int64_t into;
};
struct Case {
  std::string name;
  std::vector<Merge> merges;
  std::vector<Split> splits;
  std::vector<std::int64_t> matching;  // ids of splits
  std::int64_t start;
  std::int64_t end;
};

// Clusters have the numbers 1 to 9; the two digits of a split are its source and target.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"NothingWasMoved", {}, {}, {}, 1, 1},
      {"AMergeIsFollowed", {{1, 2}}, {}, {}, 1, 2},
      {"AMergeOfAMergeIsFollowed", {{1, 2}, {2, 3}}, {}, {}, 1, 3},
      {"TheTargetOfAMergeStays", {{1, 2}}, {}, {}, 2, 2},
      {"ASplitTakesWhatMatches", {}, {{1, 12, 2}}, {12}, 1, 2},
      {"ASplitLeavesTheRest", {}, {{1, 12, 2}}, {}, 1, 1},
      {"TheOlderSplitComesFirst", {}, {{1, 12, 2}, {1, 13, 3}}, {12, 13}, 1, 2},
      {"TheNextSplitIsTried", {}, {{1, 12, 2}, {1, 13, 3}}, {13}, 1, 3},
      {"ASplitOfASplitIsFollowed", {}, {{1, 12, 2}, {2, 23, 3}}, {12, 23}, 1, 3},
      {"ASplitOfASplitLeavesTheRest", {}, {{1, 12, 2}, {2, 23, 3}}, {12}, 1, 2},
      {"ASplitOfAnotherClusterIsNotTried", {}, {{2, 23, 3}}, {23}, 1, 1},
      {"AClustersSplitComesBeforeItsMerge", {{1, 3}}, {{1, 12, 2}}, {12}, 1, 2},
      {"WhatItsSplitLeavesGoesWithTheMerge", {{1, 3}}, {{1, 12, 2}}, {}, 1, 3},
      {"SplitsOfTheTargetHoldForWhatIsMergedIn", {{1, 2}}, {{2, 23, 3}}, {23}, 1, 3},
      {"ASplitMergedElsewhereIsFollowed", {{2, 4}}, {{1, 12, 2}}, {12}, 1, 4},
      {"ASplitMergedBackIsAsIfNeverMade", {{2, 1}}, {{1, 12, 2}}, {12}, 1, 1},
      {"ASplitMergedBackLeavesTheOthers", {{2, 1}}, {{1, 12, 2}, {1, 13, 3}}, {12, 13}, 1, 3},
      {"TheSameSplitCanBeMadeAgain", {{2, 1}}, {{1, 12, 2}, {1, 14, 4}}, {12, 14}, 1, 4},
      {"TwoSplitsMergedBackEnd", {{2, 1}, {3, 1}}, {{1, 12, 2}, {1, 13, 3}}, {12, 13}, 1, 1},
      {"ARoundOfSplitsAndMergesEnds", {{3, 1}}, {{1, 12, 2}, {2, 23, 3}}, {12, 23}, 1, 1},
      {"WhatWasSplitOffAndMergedBackStartsThereToo", {{2, 1}}, {{1, 12, 2}}, {12}, 2, 1},
  };
  return kCases;
}

class ClusterRouting : public testing::TestWithParam<Case> {};

TEST_P(ClusterRouting, LeadsTo) {
  const Case& given = GetParam();
  ClusterMoves moves;
  for (const Merge& merge : given.merges) {
    moves.addMerge(ClusterId(merge.from), ClusterId(merge.into));
  }
  for (const Split& split : given.splits) {
    moves.addSplit(ClusterId(split.from), SplitId(split.id), ClusterId(split.into));
  }
  const auto matches = [&](SplitId split) {
    return std::ranges::contains(given.matching, split.value());
  };
  EXPECT_EQ(moves.destination(ClusterId(given.start), matches), ClusterId(given.end));
}

INSTANTIATE_TEST_SUITE_P(Cases, ClusterRouting, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace auth_errors::domain
