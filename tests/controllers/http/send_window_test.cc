#include "controllers/http/send_window.h"

#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

TEST(SendWindow, CountsBytesHandedOverButNotSent) {
  SendWindow window(100, Transport::plain);
  EXPECT_EQ(window.unsent(100), 0U);
  window.handOver(50);
  EXPECT_EQ(window.unsent(100), 50U);
  EXPECT_EQ(window.unsent(130), 20U);
  window.handOver(10);
  EXPECT_EQ(window.unsent(150), 10U);
}

TEST(SendWindow, IgnoresBytesOfOthers) {
  SendWindow window(0, Transport::plain);
  window.handOver(10);
  EXPECT_EQ(window.unsent(1'000), 0U);
  window.handOver(10);
  EXPECT_EQ(window.unsent(1'000), 10U);
}

TEST(SendWindow, AllowsForTlsRecords) {
  SendWindow window(0, Transport::tls);
  window.handOver(16 * 1024 + 1);
  EXPECT_EQ(window.unsent(16 * 1024 + 1), 2 * 22U);
}

}  // namespace
}  // namespace auth_errors::controllers
