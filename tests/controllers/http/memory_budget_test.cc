#include "controllers/http/memory_budget.h"

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

class MemoryBudgetTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBudget = 1'000'000;

  std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(kBudget);
  std::atomic<int> checks_ = 0;
  std::shared_ptr<ConnectionLoad> connection_ =
      std::make_shared<ConnectionLoad>(budget_, [this] { ++checks_; });
};

TEST_F(MemoryBudgetTest, CountsTheBytesOfEachRequestUntilItEnds) {
  std::optional<RequestLoad> first(std::in_place, connection_, 100);
  std::optional<RequestLoad> second(std::in_place, connection_, 20);
  EXPECT_EQ(connection_->requests(), 2U);
  EXPECT_EQ(connection_->requestBytes(), 120U);
  first->resizeBody(1'000);
  second->holdAnswer(7);
  EXPECT_EQ(budget_->held(Held::requests), 1'020U);
  EXPECT_EQ(budget_->held(Held::answers), 7U);
  EXPECT_EQ(budget_->held(), 1'027U);
  second.reset();
  EXPECT_EQ(budget_->held(), 1'000U);
  EXPECT_EQ(connection_->answers(), 0U);
  first.reset();
  EXPECT_EQ(budget_->held(), 0U);
  EXPECT_EQ(connection_->requests(), 0U);
}

TEST_F(MemoryBudgetTest, CountsTheHeadOfARequestWithoutItsBody) {
  std::optional<RequestLoad> request(std::in_place, connection_, 100, 7'000);
  EXPECT_EQ(connection_->requestBytes(), 7'100U);
  request->resizeBody(1'000);
  EXPECT_EQ(budget_->held(Held::requests), 8'000U);
  request->resizeBody(0);
  EXPECT_EQ(connection_->requestBytes(), 7'000U);
  request.reset();
  EXPECT_EQ(budget_->held(), 0U);
  EXPECT_EQ(connection_->requestBytes(), 0U);
  EXPECT_EQ(checks_, 0);
  request.emplace(connection_, 0, RequestLoad::kLarge);
  request.reset();
  EXPECT_EQ(checks_, 1);
}

TEST_F(MemoryBudgetTest, OutlivesTheConnection) {
  std::optional<RequestLoad> request(std::in_place, connection_, 100);
  connection_.reset();
  EXPECT_EQ(budget_->held(), 100U);
  request.reset();
  EXPECT_EQ(budget_->held(), 0U);
}

TEST_F(MemoryBudgetTest, RefusesLargeBodiesWhenExceeded) {
  RequestLoad large(connection_, RequestLoad::kLarge);
  const RequestLoad small(connection_, RequestLoad::kLarge - 1);
  EXPECT_FALSE(large.isTooMuch());
  budget_->hold(Held::unsent, kBudget);
  EXPECT_TRUE(budget_->exceeded());
  EXPECT_TRUE(large.isTooMuch());
  EXPECT_FALSE(small.isTooMuch());
  budget_->release(Held::unsent, kBudget);
  EXPECT_FALSE(large.isTooMuch());
  large.resizeBody(kBudget / 4 * 3 - RequestLoad::kLarge + 1);
  EXPECT_FALSE(large.isTooMuch());
  large.resizeBody(kBudget / 4 * 3);
  EXPECT_TRUE(large.isTooMuch());
}

TEST_F(MemoryBudgetTest, TracksLargeResponsesToCome) {
  std::optional<RequestLoad> request(std::in_place, connection_, 0);
  request->expectLargeAnswer();
  request->expectLargeAnswer();
  EXPECT_TRUE(connection_->expectsLargeAnswer());
  request.reset();
  EXPECT_FALSE(connection_->expectsLargeAnswer());
}

TEST_F(MemoryBudgetTest, ReportsAConnectionThatWaitsOrWasHandedALargeResponse) {
  RequestLoad(connection_, 10).holdAnswer(10);
  EXPECT_EQ(checks_, 0);
  RequestLoad(connection_, 10).holdAnswer(RequestLoad::kLarge);
  EXPECT_EQ(checks_, 1);
  connection_->setWaiting(true);
  RequestLoad(connection_, 10).holdAnswer(10);
  EXPECT_EQ(checks_, 2);
}

TEST_F(MemoryBudgetTest, AddsUpAcrossThreads) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1'000; ++round) {
        RequestLoad request(connection_, 5);
        request.resizeBody(50);
        request.holdAnswer(3);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(budget_->held(), 0U);
  EXPECT_EQ(connection_->requestBytes(), 0U);
}

}  // namespace
}  // namespace auth_errors::controllers
