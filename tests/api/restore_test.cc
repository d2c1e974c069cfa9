// A database restored to an earlier point under a running broker, and two installations that share
// a broker and prefix by mistake.
#include <chrono>
#include <filesystem>
#include <format>
#include <iostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/delivery_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/project_paths.h"
#include "tests/support/row_matchers.h"
#include "tests/support/server_process.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class RestoreTest : public DeliveryTest {
 protected:
  RestoreTest()
      : folder_(std::filesystem::temp_directory_path() / std::format("restore-{}", prefix_)) {
    std::filesystem::create_directories(folder_);
  }
  ~RestoreTest() override { std::filesystem::remove_all(folder_); }

  // Runs a command of docs/operations.md, which must contain it verbatim.
  void runDocumented(const std::string& command) {
    EXPECT_THAT(textOf(projectPath("docs/operations.md")), HasSubstr(command));
    runToEnd(
        {"sh", "-ec",
         std::format("cd {}; DATABASE_URL='{}'; {}", folder_.string(), database_.url(), command)},
        folder_ / "log");
  }
  bool published(int messages) {
    return eventually([&] {
      return number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'") == messages;
    });
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RestoreTest, EveryRestoredErrorIsAnalysedAndLostOnesBecomeDeadLetters) {
  // ./dev verify identity raises it.
  const int scale = std::stoi(environmentVariable("AUTH_ERRORS_RESTORE_SCALE").value_or("1"));
  ServiceProcess& first = start(options("consumer"));
  ServiceProcess& before = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(before, 20 * scale));
  ASSERT_TRUE(allAnalysed());
  // In flight at the moment of the dump: published, but not yet consumed.
  ASSERT_EQ(first.terminate(), ExitStatus{});
  ASSERT_NO_FATAL_FAILURE(post(before, 20 * scale));
  ASSERT_TRUE(published(60 * scale));
  runDocumented(R"(pg_dump -Fc -f auth-errors.dump "$DATABASE_URL")");

  // Work goes on: in-flight messages arrive, and further ones stay in the broker.
  ServiceProcess& second = start(options("consumer"));
  ASSERT_TRUE(allAnalysed());
  ASSERT_EQ(second.terminate(), ExitStatus{});
  ASSERT_NO_FATAL_FAILURE(post(before, 10 * scale));
  ASSERT_TRUE(published(90 * scale));
  ASSERT_EQ(before.terminate(), ExitStatus{});
  services_.clear();
  runDocumented(
      R"(pg_restore --clean --if-exists --single-transaction --dbname "$DATABASE_URL" auth-errors.dump)");

  // The ids, outbox ids and keys of lost rows are assigned again.
  EXPECT_EQ(number("SELECT count(*) FROM auth_error"), 40 * scale);
  posted_ = 40 * scale;
  ServiceProcess& after = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(after, 30 * scale));
  EXPECT_EQ(number("SELECT max(id) FROM auth_error"), 70 * scale);
  EXPECT_EQ(number("SELECT max(id) FROM outbox_message"), 90 * scale);
  ServiceProcess& healing = start(options("consumer,ops"));
  ASSERT_TRUE(allAnalysed());
  ASSERT_TRUE(eventually([&] { return number("SELECT count(*) FROM dead_letter") == 10 * scale; },
                         kPatience));
  EXPECT_THAT(database_.queryText("SELECT DISTINCT reason, status, outbox_id IS NULL FROM "
                                  "dead_letter"),
              ElementsAre(Row("foreign_event", "OPEN", true)));
  EXPECT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM processed_message WHERE status = 'DONE'") == 140 * scale;
  }));
  EXPECT_EQ(number("SELECT count(*) FROM processed_message p JOIN outbox_message m ON m.id = "
                   "p.outbox_id WHERE p.event_id = m.event_id"),
            140 * scale);
  EXPECT_EQ(number("SELECT count(*) FROM auth_error_transition"), 140 * scale);
  EXPECT_TRUE(eventually([&] { return brokerOf(healing) == "connected"; }));
  std::cout << std::format(
      "restored under a running broker: {} errors, all analysed; {} messages without their rows "
      "are dead letters\n",
      70 * scale, 10 * scale);
}

class InstallationTest : public DeliveryTest {
 protected:
  CommandResult command(const std::vector<std::string>& arguments, const std::string& database) {
    return runService(arguments, {{"DATABASE_URL", database},
                                  {"AMQP_URL", brokerUrl_},
                                  {"AUTH_ERRORS_BROKER_PREFIX", prefix_},
                                  {"AUTH_ERRORS_LOG_LEVEL", "error"},
                                  {"AUTH_ERRORS_RETRY_DELAYS_MS", kShortRungsSetting}});
  }
};

TEST_F(InstallationTest, AnIdIsStableUntilItIsRenewed) {
  const auto id = [&](const std::string& verb) {
    const CommandResult result = command({"installation", verb}, database_.url());
    EXPECT_EQ(result.status, ExitStatus{}) << result.output;
    return result.output;
  };
  const std::string first = id("show");
  EXPECT_EQ(first, value("SELECT id FROM installation") + "\n");
  EXPECT_EQ(id("show"), first);
  const std::string second = id("renew");
  EXPECT_NE(second, first);
  EXPECT_EQ(id("show"), second);
}

// A clone of the database that kept its prefix by mistake.
TEST_F(InstallationTest, TwoOnOneBrokerParkEachOthersMessagesAndAnalyseTheirOwn) {
  TestDatabase clone;
  ASSERT_EQ(command({"installation", "renew"}, clone.url()).status, ExitStatus{});
  ServiceProcess& ours = start(options("api,outbox,consumer,ops"));
  auto theirOptions = options("api,outbox,consumer,ops");
  theirOptions.databaseUrl = clone.url();
  ServiceProcess& theirs = start(theirOptions);
  ASSERT_NO_FATAL_FAILURE(post(ours, 40));
  ASSERT_NO_FATAL_FAILURE(post(theirs, 40));
  posted_ = 40;
  ASSERT_TRUE(allAnalysed()) << "messages parked by the other installation must be republished";
  ASSERT_TRUE(eventually(
      [&] {
        return clone.queryValue(
                   "SELECT count(*) FROM auth_error WHERE status = 'ANALYSIS_COMPLETED'") == "40";
      },
      kPatience));
  EXPECT_EQ(number("SELECT count(*) FROM dead_letter"), 0);
  EXPECT_EQ(clone.queryValue("SELECT count(*) FROM dead_letter"), "0");
  EXPECT_EQ(number("SELECT count(*) FROM processed_message p WHERE NOT EXISTS (SELECT FROM "
                   "outbox_message m WHERE m.id = p.outbox_id AND m.event_id = p.event_id)"),
            0);
  ASSERT_TRUE(eventually([&] { return brokerOf(ours) == "mismatch"; }));
  const auto ready = ours.client().get("/health/ready", 5s);
  EXPECT_EQ(ready->status, 200);
  EXPECT_THAT(parseJson(ready->body)["brokerProblem"].asString(),
              HasSubstr("of another installation are parked in " + topology_.foreignQueue.text()));
  EXPECT_GT(metric(ours, "auth_errors_parked_messages"), 0);

  // The remedy: separate prefixes, and parked messages returned to their owner or dropped.
  services_.clear();
  const std::string id = value("SELECT id FROM installation");
  const std::string theirId = clone.queryValue("SELECT id FROM installation");
  const auto parked = [&](const std::string& installation) {
    const CommandResult listed = command({"parked", "list"}, database_.url());
    EXPECT_EQ(listed.status, ExitStatus{}) << listed.output;
    int lines = 0;
    for (auto at = listed.output.find(installation); at != std::string::npos;
         at = listed.output.find(installation, at + 1)) {
      ++lines;
    }
    return lines;
  };
  const int ourParked = parked(id);
  const int theirParked = parked(theirId);
  ASSERT_GT(ourParked + theirParked, 0);
  EXPECT_EQ(parked(id), ourParked) << "listing consumes nothing";
  EXPECT_EQ(command({"parked", "return", "--installation", id}, database_.url()).output,
            std::format("{} returned\n", ourParked));
  EXPECT_EQ(parked(id), 0);
  EXPECT_EQ(parked(theirId), theirParked);
  EXPECT_EQ(command({"parked", "drop"}, database_.url()).output,
            std::format("{} dropped\n", theirParked));
  EXPECT_EQ(parked(theirId), 0);
  ServiceProcess& alone = start(options("consumer,ops"));
  EXPECT_TRUE(eventually([&] { return brokerOf(alone) == "connected"; }));
}

}  // namespace
}  // namespace auth_errors::tests
