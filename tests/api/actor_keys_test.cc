// Pseudonym keys across instances that share a database: an instance whose keys differ from the
// others' must not report ready.
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_fixture.h"
#include "tests/support/loop_runner.h"
#include "tests/support/project_paths.h"

namespace auth_errors::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ActorKeys : public ApiTest {
 protected:
  static std::string secret(char letter) { return std::string(64, letter); }

  // Another instance on the same database, without keys if the text is empty.
  std::unique_ptr<ServiceProcess> startWith(const std::string& keys,
                                            const std::string& roles = "api") {
    Environment environment{{"AUTH_ERRORS_ROLES", roles},
                            {"AMQP_URL", "amqp://guest:guest@127.0.0.1:1/"}};
    if (!keys.empty()) {
      environment["AUTH_ERRORS_ACTOR_KEYS"] = keys;
    }
    return std::make_unique<ServiceProcess>(ServiceOptions{.databaseUrl = database_.url(),
                                                           .environment = std::move(environment),
                                                           .headers = {},
                                                           .waitUntilReady = false});
  }
  // "503 mismatch"
  static std::string readinessOf(const ServiceProcess& service) {
    const auto ready = service.client().get("/health/ready", kAnswerLimit);
    return ready ? std::to_string(ready->status) + " " +
                       parseJson(ready->body)["actorKeys"].asString()
                 : ready.error().message;
  }
  static bool becomes(const ServiceProcess& service, const std::string& readiness) {
    return eventually([&] { return readinessOf(service) == readiness; });
  }
  CommandResult command(const std::vector<std::string>& arguments) {
    return runService(arguments, {{"DATABASE_URL", database_.url()},
                                  {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}});
  }
};

TEST_F(ActorKeys, MatchOnASingleInstance) {
  EXPECT_TRUE(becomes(service_, "200 matching"));
  const std::string fingerprint = database_.queryValue("SELECT fingerprint FROM actor_key");
  EXPECT_EQ(fingerprint.size(), 32U);
  EXPECT_FALSE(secret('k').contains(fingerprint));
}

TEST_F(ActorKeys, MakeAnInstanceUnreadyIfMissingOrDifferent) {
  const auto other = startWith("1:" + secret('x'));
  EXPECT_TRUE(becomes(*other, "503 mismatch"));
  EXPECT_TRUE(eventually([&] {
    return other->logText().contains("actor_keys.compared") &&
           other->logText().contains("version 1 of the actor keys");
  }));
  EXPECT_THAT(other->logText(), Not(HasSubstr(secret('x'))));
  const auto none = startWith("");
  EXPECT_TRUE(becomes(*none, "503 missing"));
  EXPECT_TRUE(becomes(service_, "200 matching")) << "the first instance is unaffected";
  // A new version is not adopted when another one is wrong.
  const auto half = startWith("2:" + secret('n') + ",1:" + secret('x'));
  EXPECT_TRUE(becomes(*half, "503 mismatch"));
  EXPECT_EQ(database_.queryValue("SELECT string_agg(version::text, ',') FROM actor_key"), "1");
}

TEST_F(ActorKeys, CanBeRotatedOneInstanceAtATime) {
  const auto newer = startWith("2:" + secret('n') + "," + actorKey());
  EXPECT_TRUE(becomes(*newer, "200 matching"));
  EXPECT_THAT(newer->logText(), HasSubstr("actor_keys.new"));
  EXPECT_TRUE(becomes(service_, "200 incomplete"));
  EXPECT_THAT(parseJson(send("GET", "/health/ready", {}).body)["actorKeysProblem"].asString(),
              HasSubstr("version 2"));
  service_.terminate();
  const auto newest = startWith("2:" + secret('n'));
  EXPECT_TRUE(becomes(*newest, "200 incomplete"));
  newer->terminate();
  EXPECT_EQ(command({"actor-keys", "forget", "1"}).status, ExitStatus{});
  EXPECT_TRUE(becomes(*newest, "200 matching"));
}

TEST_F(ActorKeys, CanBeForgottenByCommand) {
  EXPECT_TRUE(becomes(service_, "200 matching"));
  const CommandResult listed = command({"actor-keys", "list"});
  EXPECT_EQ(listed.status, ExitStatus{}) << listed.output;
  EXPECT_THAT(listed.output,
              AllOf(HasSubstr("fingerprint"),
                    HasSubstr(database_.queryValue("SELECT fingerprint FROM actor_key"))));
  EXPECT_EQ(command({"actor-keys", "forget", "7"}).status.code, 1);
  EXPECT_EQ(command({"actor-keys", "forget"}).status.code, 2);
  const auto right = startWith("1:" + secret('r'));
  EXPECT_TRUE(becomes(*right, "503 mismatch"));
  service_.terminate();
  EXPECT_EQ(command({"actor-keys", "forget", "1"}).status, ExitStatus{});
  EXPECT_TRUE(becomes(*right, "200 matching"));
}

TEST_F(ActorKeys, AreNotNeededWithoutTheApi) {
  const auto worker = startWith("", "outbox");
  EXPECT_TRUE(becomes(*worker, "200 disabled"));
}

TEST(NoActorKeys, AreReportedAsNoneIfNoInstanceHasAny) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(), .headers = {}});
  const auto ready = service.client().get("/health/ready", kAnswerLimit);
  ASSERT_TRUE(ready);
  EXPECT_EQ(parseJson(ready->body)["actorKeys"].asString(), "none");
}

}  // namespace
}  // namespace auth_errors::tests
