// Names that resolve, that do not exist and that are never answered (tests/support/test_dns.cc).
#include "platform/workers/host_lookup.h"

#include <chrono>
#include <format>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/loop_runner.h"

namespace auth_errors::workers {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using HostsFound = std::vector<HostLookup::Found>;

// One lookup, created and destroyed on its loop.
class LookupOnLoop {
 public:
  LookupOnLoop(trantor::EventLoop& loop, std::vector<std::string> hosts,
               std::chrono::milliseconds patience = 1h)
      : loop_(loop), found_(promise_->get_future()) {
    tests::callOn(loop_, [&] {
      lookup_ = std::make_unique<HostLookup>(
          loop_, hosts, patience,
          [promise = promise_](HostsFound found) { promise->set_value(std::move(found)); });
    });
  }
  ~LookupOnLoop() { end(); }
  LookupOnLoop(const LookupOnLoop&) = delete;
  LookupOnLoop& operator=(const LookupOnLoop&) = delete;
  LookupOnLoop(LookupOnLoop&&) = delete;
  LookupOnLoop& operator=(LookupOnLoop&&) = delete;

  void end() {
    tests::callOn(loop_, [this] { lookup_.reset(); });
  }
  HostsFound found() { return tests::await(std::move(found_), tests::kWaitLimit); }
  [[nodiscard]] bool waits() const { return found_.wait_for(0s) != std::future_status::ready; }

 private:
  trantor::EventLoop& loop_;
  std::shared_ptr<std::promise<HostsFound>> promise_ = std::make_shared<std::promise<HostsFound>>();
  std::future<HostsFound> found_;
  std::unique_ptr<HostLookup> lookup_;
};

class HostLookupTest : public ::testing::Test {
 protected:
  tests::LoopThread thread_;
  trantor::EventLoop& loop_ = thread_.loop();
};

TEST_F(HostLookupTest, ReturnsAddressesUnchanged) {
  const auto found = LookupOnLoop(loop_, {"127.0.0.1", "::1"}).found();
  ASSERT_EQ(found.size(), 2);
  EXPECT_THAT(found[0].addresses, ElementsAre("127.0.0.1"));
  EXPECT_THAT(found[1].addresses, ElementsAre("::1"));
}

TEST_F(HostLookupTest, FindsAddressesOfBothFamiliesAndReportsUnknownNames) {
  const auto found = LookupOnLoop(loop_, {"a.test", "six.test", "a.unknown.test"}).found();
  ASSERT_EQ(found.size(), 3);
  EXPECT_THAT(found[0].addresses, ElementsAre("127.0.0.1"));
  EXPECT_THAT(found[1].addresses, ElementsAre("::1"));
  EXPECT_THAT(found[2].addresses, IsEmpty());
  EXPECT_THAT(found[2].problem, Not(IsEmpty()));
}

TEST_F(HostLookupTest, ResolvesTheSystemsNames) {
  EXPECT_THAT(LookupOnLoop(loop_, {"localhost"}).found().at(0).addresses, Contains("127.0.0.1"));
}

TEST_F(HostLookupTest, AHangingNameDelaysNeitherItsLoopNorOtherNames) {
  const LookupOnLoop hanging(loop_, {"a.silent.test"});
  EXPECT_THAT(LookupOnLoop(loop_, {"a.test"}).found().at(0).addresses, ElementsAre("127.0.0.1"));
  EXPECT_TRUE(hanging.waits());
}

TEST_F(HostLookupTest, ReturnsKnownAddressesAfterItsTimeout) {
  const auto found = LookupOnLoop(loop_, {"a.silent.test", "a.test"}, 10ms).found();
  ASSERT_EQ(found.size(), 2);
  EXPECT_THAT(found[0].addresses, IsEmpty());
  EXPECT_THAT(found[1].addresses, ElementsAre("127.0.0.1"));
}

TEST_F(HostLookupTest, WaitsPastItsTimeoutForTheFirstAddress) {
  const LookupOnLoop hanging(loop_, {"a.silent.test", "a.unknown.test"}, 0ms);
  tests::callOn(loop_, [] {});
  EXPECT_THAT(LookupOnLoop(loop_, {"a.test"}).found().at(0).addresses, ElementsAre("127.0.0.1"));
  EXPECT_TRUE(hanging.waits());
}

TEST(HostLookupLifetimeTest, EndsWithItsLoopDuringALookup) {
  tests::LoopThread thread;
  const LookupOnLoop hanging(thread.loop(), {"a.silent.test"});
}

// In a separate process, since these lookups hang until it exits.
TEST_F(HostLookupTest, LimitsConcurrentLookups) {
  std::vector<std::unique_ptr<LookupOnLoop>> hanging;
  for (int name = 0; name < 32; ++name) {
    hanging.push_back(std::make_unique<LookupOnLoop>(
        loop_, std::vector{std::format("many-{}.silent.test", name)}));
  }
  EXPECT_EQ(LookupOnLoop(loop_, {"b.test"}).found().at(0).problem,
            "too many lookups are in progress");
}

}  // namespace
}  // namespace auth_errors::workers
