#include "domain/clusters/cluster_signals.h"

#include <string_view>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

using namespace std::chrono_literals;

constexpr Instant kMidnight = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31};
constexpr Instant kNow = kMidnight + 12h + 34min + 56s;
constexpr Instant kWindow = kMidnight + 12h + 20min;

TEST(ClusterSignals, CoverTheCurrentFiveMinutesAndTheTwoBucketsBefore) {
  EXPECT_EQ(signalWindowStart(kNow), kWindow);
  EXPECT_EQ(signalWindowStart(kMidnight + 12h + 30min), kWindow);
  EXPECT_EQ(signalWindowStart(kMidnight + 12h + 30min - 1us), kWindow - 5min);
  EXPECT_EQ(signalWindowStart(kMidnight), kMidnight - 10min);
  EXPECT_EQ(clusterSignals(kNow, {}).windowStartsAt, kWindow);
}

struct Case {
  std::string_view name;
  Instant firstSeenAt;
  std::int64_t errorsInWindow;
  std::int64_t errorsBefore;
  double expected;
  bool burst;
  bool isNew;
};

TEST(ClusterSignals, FollowTheTable) {
  constexpr Instant kLongAgo = kNow - 240h;
  for (const Case& c : {
           Case{"nothing happens", kLongAgo, 0, 0, 0, false, false},
           Case{"too few to matter", kLongAgo, 9, 0, 0, false, false},
           Case{"out of silence", kLongAgo, 10, 0, 0, true, false},
           Case{"four times the usual is not yet a burst", kLongAgo, 40, 960, 10, false, false},
           Case{"more than four times is", kLongAgo, 41, 960, 10, true, false},
           Case{"much, but usual", kLongAgo, 1'000, 96'000, 1'000, false, false},
           Case{"many times the usual, but few", kLongAgo, 9, 96, 1, false, false},
           Case{"seen for a whole day", kWindow - 24h, 41, 960, 10, true, false},
           Case{"seen for half a day", kWindow - 12h, 41, 480, 10, true, false},
           Case{"seen for half a day, and as much as before", kWindow - 12h, 40, 480, 10, false,
                false},
           Case{"seen for an hour", kWindow - 1h, 41, 40, 10, true, false},
           Case{"seen for less than an hour counts as one", kWindow - 5min, 41, 40, 10, true,
                false},
           Case{"first seen just before the window", kWindow - 1us, 3, 1, 0.25, false, false},
           Case{"first seen at the window's start", kWindow, 3, 0, 0, false, true},
           Case{"first seen just now, in masses", kNow, 500, 0, 0, true, true},
           Case{"of a clock that is ahead", kNow + 20h, 0, 0, 0, false, true},
       }) {
    const ClusterSignals signals = clusterSignals(kNow, {.firstSeenAt = c.firstSeenAt,
                                                         .errorsInWindow = c.errorsInWindow,
                                                         .errorsBefore = c.errorsBefore});
    EXPECT_EQ(signals.errors, c.errorsInWindow) << c.name;
    EXPECT_DOUBLE_EQ(signals.expected, c.expected) << c.name;
    EXPECT_EQ(signals.burst, c.burst) << c.name;
    EXPECT_EQ(signals.isNew, c.isNew) << c.name;
  }
}

}  // namespace
}  // namespace auth_errors::domain
