#include "app/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/project_paths.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class SettingsFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "settings-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directory(folder_ / "migrations");
    environment_["AUTH_ERRORS_MIGRATIONS"] = (folder_ / "migrations").string();
    environment_["DATABASE_URL"] = "postgresql://user:hunter2@localhost/errors";
    environment_["AMQP_URL"] = "amqp://user:hunter2@localhost/";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  [[nodiscard]] std::expected<LoadedSettings, std::vector<SettingProblem>> load(
      const std::string& json = {}) const {
    SettingSources sources;
    if (!json.empty()) {
      sources.file = write("config.json", json);
    }
    sources.environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment_.find(std::string(name));
      return found == environment_.end() ? std::nullopt : std::optional(found->second);
    };
    sources.variables = [this] {
      std::vector<std::string> names;
      for (const auto& [name, value] : environment_) {
        names.push_back(name);
      }
      return names;
    };
    sources.roles = roles_;
    sources.forServing = forServing_;
    return loadSettings(sources);
  }

  [[nodiscard]] Settings settings(const std::string& json = {}) const {
    const auto loaded = load(json);
    EXPECT_TRUE(loaded) << (loaded ? "" : toText(loaded.error().front()));
    return loaded ? loaded->settings : Settings{};
  }

  [[nodiscard]] std::vector<std::string> problems(const std::string& json = {}) const {
    const auto loaded = load(json);
    EXPECT_FALSE(loaded);
    std::vector<std::string> texts;
    if (!loaded) {
      for (const SettingProblem& problem : loaded.error()) {
        texts.push_back(toText(problem));
      }
    }
    return texts;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::string> environment_;
  std::optional<std::string> roles_;
  bool forServing_ = true;
};

TEST_F(SettingsFile, RequireABrokerForEveryRoleButTheApi) {
  environment_.erase("AMQP_URL");
  for (const char* role : {"outbox", "consumer", "ops", "api,outbox"}) {
    roles_ = role;
    EXPECT_THAT(problems(), ElementsAre(HasSubstr("AMQP_URL: must be set"))) << role;
  }
  roles_ = "api";
  EXPECT_TRUE(load());
  roles_.reset();
  forServing_ = false;
  EXPECT_TRUE(load());
}

TEST_F(SettingsFile, RequireThreeRisingDelaysForTheRetryLadder) {
  EXPECT_EQ(settings().retry.rungs, (domain::RetryRungs{10s, 1min, 10min}));
  environment_["AUTH_ERRORS_RETRY_DELAYS_MS"] = "100,100,5000";
  EXPECT_EQ(settings().retry.rungs, (domain::RetryRungs{100ms, 100ms, 5s}));
  for (const char* bad : {"", "1000", "1000,2000", "3000,2000,1000", "1000,2000,3000,4000", "1,2,3",
                          "1000,2000,x", "1000,2000,3000,"}) {
    environment_["AUTH_ERRORS_RETRY_DELAYS_MS"] = bad;
    EXPECT_THAT(problems(), ElementsAre(HasSubstr("AUTH_ERRORS_RETRY_DELAYS_MS"))) << bad;
  }
}

TEST_F(SettingsFile, RefuseInvalidBrokerNamesAndCertificates) {
  environment_["AUTH_ERRORS_BROKER_PREFIX"] = "a b";
  environment_["AUTH_ERRORS_BROKER_CERTIFICATE"] = (folder_ / "none.pem").string();
  EXPECT_THAT(problems(), UnorderedElementsAre(HasSubstr("AUTH_ERRORS_BROKER_PREFIX"),
                                               HasSubstr("AUTH_ERRORS_BROKER_CERTIFICATE")));
}

TEST_F(SettingsFile, HaveDefaultsForEverythingButServers) {
  const Settings s = settings();
  EXPECT_EQ(s.http.address, "127.0.0.1");
  EXPECT_EQ(s.http.port, 8080);
  EXPECT_GE(s.http.threads, 1U);
  EXPECT_EQ(s.http.maxBodyBytes, 1024U * 1024);
  EXPECT_EQ(s.http.maxBatchBodyBytes, 16U * 1024 * 1024);
  EXPECT_EQ(s.http.maxHeldBytes, 64U * 1024 * 1024);
  EXPECT_EQ(s.http.maxHeldPerConnection, 128U * 1024);
  EXPECT_TRUE(s.http.trustedProxies.empty());
  EXPECT_EQ(s.database.requestDeadline, 5s);
  EXPECT_EQ(s.ingest.batchRows, 128U);
  EXPECT_FALSE(s.database.migrateOnServe);
  EXPECT_THAT(s.scrub.patterns, IsEmpty());
  EXPECT_THAT(s.scrub.allowed, IsEmpty());
  EXPECT_EQ(s.log.level, telemetry::LogLevel::info);
  EXPECT_EQ(s.roles, (std::set{Role::api, Role::outbox, Role::consumer, Role::ops}));
}

TEST_F(SettingsFile, ApplyTheFileThenTheEnvironmentThenTheCommandLine) {
  const std::string json = R"({"listeners":[{"address":"0.0.0.0","port":9000}],
      "app":{"number_of_threads":3,"client_max_body_size":"64K","log":{"log_level":"WARN"}},
      "custom_config":{"trusted_proxies":["10.0.0.0/8","::1"],"roles":["api"],
                       "ingest":{"batch_rows":64},"database":{"migrate_on_serve":true}}})";
  environment_["AUTH_ERRORS_PORT"] = "9001";
  environment_["AUTH_ERRORS_ROLES"] = "outbox";
  roles_ = "consumer, ops";
  const Settings s = settings(json);
  EXPECT_EQ(s.http.address, "0.0.0.0");
  EXPECT_EQ(s.http.port, 9001);
  EXPECT_EQ(s.http.threads, 3U);
  EXPECT_EQ(s.http.maxBodyBytes, 65536U);
  EXPECT_EQ(s.http.trustedProxies.size(), 2U);
  EXPECT_EQ(s.ingest.batchRows, 64U);
  EXPECT_TRUE(s.database.migrateOnServe);
  EXPECT_EQ(s.log.level, telemetry::LogLevel::warn);
  EXPECT_EQ(s.roles, (std::set{Role::consumer, Role::ops}));
}

TEST_F(SettingsFile, ReportAllProblemsWithKeyValueAndAllowedValues) {
  environment_.erase("DATABASE_URL");
  environment_["AUTH_ERRORS_PORT"] = "70000";
  environment_["AUTH_ERRORS_TRUSTED_PROXIES"] = "10.0.0.0/8,proxy";
  environment_["AUTH_ERRORS_LOG_LEVEL"] = "loud";
  roles_ = "api,king";
  const auto found = problems(R"({"app":{"number_of_threads":"many"},
      "custom_config":{"ingest":{"batch_rows":0}}})");
  EXPECT_THAT(found,
              Contains(R"(AUTH_ERRORS_PORT is "70000": must be an integer from 1 to 65535)"));
  EXPECT_THAT(found, Contains(AllOf(HasSubstr("AUTH_ERRORS_TRUSTED_PROXIES"), HasSubstr("proxy"))));
  EXPECT_THAT(found, Contains(HasSubstr("debug, info, warn or error")));
  EXPECT_THAT(found, Contains(AllOf(HasSubstr("--roles"), HasSubstr("king"))));
  EXPECT_THAT(found,
              Contains(R"(app.number_of_threads is "many": must be an integer from 0 to 256)"));
  EXPECT_THAT(found, Contains(HasSubstr(R"(custom_config.ingest.batch_rows is "0")")));
  EXPECT_THAT(found, Contains(HasSubstr("DATABASE_URL: must be set")));
  EXPECT_EQ(found.size(), 7U);
}

TEST_F(SettingsFile, AcceptScrubberPatternsByLineOrAsAList) {
  EXPECT_EQ(settings().scrub.matcher, nullptr);
  const Settings file = settings(R"({"custom_config":{"scrub":{
      "patterns":["ACME-[0-9]{4,8}", " two "], "allowed":["build-[0-9a-f]{12}"]}}})");
  EXPECT_THAT(file.scrub.patterns, ElementsAre("ACME-[0-9]{4,8}", " two "));
  ASSERT_NE(file.scrub.matcher, nullptr);
  EXPECT_TRUE(file.scrub.matcher->nextSecret("ACME-1234", 0));
  EXPECT_TRUE(file.scrub.matcher->allows("build-0123456789ab"));
  environment_["AUTH_ERRORS_SCRUB_PATTERNS"] = "ACME-[0-9]{4,8}\n two \n";
  environment_["AUTH_ERRORS_SCRUB_ALLOWED"] = "build-[0-9a-f]{12}";
  const Settings variables = settings();
  ASSERT_NE(variables.scrub.matcher, nullptr);
  EXPECT_EQ(variables.scrub.matcher->digest(), file.scrub.matcher->digest());
}

TEST_F(SettingsFile, RefuseInvalidScrubberPatterns) {
  environment_["AUTH_ERRORS_SCRUB_PATTERNS"] = "ACME-[0-9]+\nfoo(\n.+";
  environment_["AUTH_ERRORS_SCRUB_ALLOWED"] = "x*";
  EXPECT_THAT(
      problems(R"({"custom_config":{"trusted_proxies":["nowhere"]}})"),
      UnorderedElementsAre(
          HasSubstr("trusted_proxies"),
          "AUTH_ERRORS_SCRUB_PATTERNS is \"foo(\": pattern 2 is not a valid RE2 expression: "
          "missing ): foo(",
          HasSubstr("AUTH_ERRORS_SCRUB_PATTERNS is \".+\": pattern 3 matches the harmless "
                    "line \"at com."),
          "AUTH_ERRORS_SCRUB_ALLOWED is \"x*\": pattern 1 matches the empty text"));
  environment_.erase("AUTH_ERRORS_SCRUB_PATTERNS");
  environment_.erase("AUTH_ERRORS_SCRUB_ALLOWED");
  EXPECT_THAT(problems(R"({"custom_config":{"scrub":{"patterns":["two\nlines"]}}})"),
              ElementsAre(HasSubstr("custom_config.scrub.patterns: must be RE2 expressions")));
}

TEST_F(SettingsFile, RefuseUnknownKeys) {
  const auto found = problems(
      R"({"app":{"upload_path":"x"},"listeners":[{"port":8080},{"port":8081}],"plugins":[],"ap":1})");
  EXPECT_THAT(found, Contains(HasSubstr("app.upload_path")));
  EXPECT_THAT(found, Contains(HasSubstr("listeners.1")));
  EXPECT_THAT(found, Contains(HasSubstr("plugins")));
  EXPECT_THAT(found, Contains(HasSubstr("ap: ")));
}

TEST_F(SettingsFile, RefuseAFileThatIsNotASingleJsonObject) {
  for (const char* text : {"[]", "{", R"({"app":{}} x)", R"({"app":{},"app":{}})", "nonsense"}) {
    EXPECT_THAT(problems(text), Contains(HasSubstr("must be a JSON object"))) << text;
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) {
    deep += R"({"a":)";
  }
  EXPECT_THAT(problems(deep), Not(IsEmpty()));
}

TEST_F(SettingsFile, RefuseAMissingConfigFile) {
  SettingSources sources;
  sources.file = folder_ / "absent.json";
  const auto loaded = loadSettings(sources);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(toText(loaded.error().front()), HasSubstr("absent.json"));
}

TEST_F(SettingsFile, RefuseSecretsInTheFileAndNeverShowThem) {
  environment_["AMQP_URL"] = "http://guest:hunter2@localhost";
  const auto found =
      problems(R"({"custom_config":{"database":{"url":"postgresql://u:hunter2@h/d"}}})");
  EXPECT_THAT(found, Contains(AllOf(HasSubstr("custom_config.database.url"),
                                    HasSubstr("DATABASE_URL_FILE"))));
  EXPECT_THAT(found, Contains(HasSubstr("AMQP_URL: must be amqp://")));
  EXPECT_THAT(found, Each(Not(HasSubstr("hunter2"))));
}

TEST_F(SettingsFile, ReadASecretFromAFileNamedByTheEnvironment) {
  environment_.erase("DATABASE_URL");
  environment_["DATABASE_URL_FILE"] = write("url", "postgresql://u:p@h/d\n").string();
  EXPECT_EQ(settings().database.url, "postgresql://u:p@h/d");
  environment_["DATABASE_URL_FILE"] = (folder_ / "absent").string();
  EXPECT_THAT(problems(), Contains(HasSubstr("a readable file")));
}

TEST_F(SettingsFile, RefuseASecretConfiguredTwice) {
  environment_["DATABASE_URL_FILE"] = write("url", "postgresql://u:p@h/d\n").string();
  EXPECT_THAT(problems(), Contains(HasSubstr("only one of")));
}

TEST_F(SettingsFile, ShowEffectiveValuesAndSourcesWithoutSecrets) {
  environment_["AUTH_ERRORS_PORT"] = "9001";
  const auto loaded = load(R"({"app":{"max_connections":77}})");
  ASSERT_TRUE(loaded);
  std::map<std::string_view, std::pair<std::string, std::string>> lines;
  for (const SettingLine& line : loaded->lines) {
    lines[line.key] = {line.value, line.source};
    EXPECT_THAT(line.value, Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(lines["listeners.0.port"], std::pair(std::string("9001"), std::string("environment")));
  EXPECT_EQ(lines["app.max_connections"].first, "77");
  EXPECT_EQ(lines["custom_config.ingest.batch_rows"].second, "default");
  EXPECT_EQ(lines["custom_config.database.url"].first, "(set)");
  EXPECT_EQ(lines["custom_config.broker.url"].first, "(set)");
  EXPECT_EQ(lines["custom_config.actors.keys"].first, "(not set)");
}

TEST_F(SettingsFile, AcceptTlsFilesOnlyTogetherAndIfReadable) {
  environment_["AUTH_ERRORS_TLS_CERTIFICATE"] = (folder_ / "cert.pem").string();
  EXPECT_THAT(problems(), Contains(HasSubstr("must be set together")));
  environment_["AUTH_ERRORS_TLS_KEY"] = (folder_ / "key.pem").string();
  EXPECT_THAT(problems(), Contains(HasSubstr("a readable PEM certificate chain")));
  EXPECT_THAT(problems(), Contains(HasSubstr("a readable PEM key")));
}

TEST_F(SettingsFile, ResolveRelativePathsAgainstTheFilesFolder) {
  environment_.erase("AUTH_ERRORS_MIGRATIONS");
  EXPECT_EQ(settings("{}").database.migrations, folder_ / "migrations");
  std::filesystem::create_directory(folder_ / "sql");
  EXPECT_EQ(settings(R"({"custom_config":{"database":{"migrations":"sql"}}})").database.migrations,
            folder_ / "sql");
  environment_["AUTH_ERRORS_MIGRATIONS"] = "absent";
  EXPECT_THAT(problems("{}"),
              Contains(R"(AUTH_ERRORS_MIGRATIONS is "absent": must be an existing folder)"));
}

TEST_F(SettingsFile, RefuseAQueueSmallerThanABatch) {
  environment_["AUTH_ERRORS_INGEST_QUEUE_LIMIT"] = "499";
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("at least 500")));
  environment_["AUTH_ERRORS_INGEST_QUEUE_LIMIT"] = "500";
  EXPECT_EQ(settings().ingest.queueLimit, 500U);
  environment_["AUTH_ERRORS_INGEST_BATCH_ROWS"] = "600";
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("at least 600")));
}

TEST_F(SettingsFile, RefuseAQueueWithFewerBytesThanABatch) {
  environment_["AUTH_ERRORS_INGEST_QUEUE_BYTES"] = "15M";
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("at least the maximum batch size of 16777216 bytes")));
  environment_["AUTH_ERRORS_MAX_BATCH_BODY"] = "8M";
  EXPECT_EQ(settings().ingest.queueBytes, 15U << 20U);
}

TEST_F(SettingsFile, RefuseABudgetSmallerThanTheLargestBodies) {
  environment_["AUTH_ERRORS_MAX_HELD"] = "31M";
  EXPECT_THAT(problems(),
              Contains(HasSubstr("at least twice the maximum body size of 16777216 bytes")));
  environment_["AUTH_ERRORS_MAX_BATCH_BODY"] = "8M";
  EXPECT_EQ(settings().http.maxHeldBytes, 31U << 20U);
}

TEST_F(SettingsFile, RefuseAConnectionLimitOutOfRange) {
  for (const char* bad : {"0", "15K", "1025M", "much"}) {
    environment_["AUTH_ERRORS_MAX_HELD_PER_CONNECTION"] = bad;
    EXPECT_THAT(problems(), ElementsAre(HasSubstr("from 16K to 1024M"))) << bad;
  }
}

TEST_F(SettingsFile, ParseSizesWithUnits) {
  const std::map<std::string, std::size_t> sizes = {
      {"2048", 2048}, {"2K", 2048}, {"2k", 2048}, {"3M", 3U << 20U}};
  for (const auto& [text, bytes] : sizes) {
    environment_["AUTH_ERRORS_MAX_BODY"] = text;
    EXPECT_EQ(settings().http.maxBodyBytes, bytes) << text;
  }
  for (const char* bad : {"", "1", "65M", "1G", "K", "-1K", "1.5M", "99999999999999999999M"}) {
    environment_["AUTH_ERRORS_MAX_BODY"] = bad;
    EXPECT_THAT(problems(), Contains(HasSubstr("AUTH_ERRORS_MAX_BODY"))) << bad;
  }
}

TEST_F(SettingsFile, WarnOfUnknownVariables) {
  environment_["AUTH_ERRORS_ACTOR_KEYS_FILE"] = write("keys", "1:" + std::string(32, 'k')).string();
  environment_["AUTH_ERRORS_ACTOR_KEYS_FILE_"] = "x";
  environment_["AUTH_ERRORS_LOG_LEVLE"] = "debug";
  environment_["AUTH_ERRORS_PROT"] = "hunter2";
  environment_["AUTH_ERRORS_LOG_LEVEL_FILE"] = "x";
  environment_["AUTH_ERRORS_SOMETHING_ELSE"] = "x";
  environment_["OTHER"] = "x";
  const auto loaded = load();
  ASSERT_TRUE(loaded);
  EXPECT_THAT(
      loaded->warnings,
      UnorderedElementsAre(
          HasSubstr("AUTH_ERRORS_ACTOR_KEYS_FILE_ is not a known setting"),
          AllOf(HasSubstr("AUTH_ERRORS_LOG_LEVLE is not a known setting"),
                HasSubstr("did you mean AUTH_ERRORS_LOG_LEVEL?")),
          AllOf(HasSubstr("AUTH_ERRORS_PROT is"), HasSubstr("did you mean AUTH_ERRORS_PORT?")),
          HasSubstr("AUTH_ERRORS_LOG_LEVEL_FILE is not a known setting"),
          AllOf(HasSubstr("AUTH_ERRORS_SOMETHING_ELSE"), Not(HasSubstr("did you mean")))));
  EXPECT_THAT(loaded->warnings, Each(Not(HasSubstr("hunter2"))));
}

TEST_F(SettingsFile, WarnOfPlainTextOnPublicAddresses) {
  environment_["AUTH_ERRORS_ACTOR_KEYS"] = "1:" + std::string(32, 'k');
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1"}) {
    environment_["AUTH_ERRORS_LISTEN"] = address;
    EXPECT_THAT(load()->warnings, IsEmpty()) << address;
  }
  for (const char* address : {"0.0.0.0", "::", "192.0.2.1"}) {
    environment_["AUTH_ERRORS_LISTEN"] = address;
    EXPECT_THAT(load()->warnings,
                ElementsAre(HasSubstr("without TLS and without trusted proxies")));
  }
  environment_["AUTH_ERRORS_TRUSTED_PROXIES"] = "10.0.0.0/8";
  EXPECT_THAT(load()->warnings, IsEmpty());
}

TEST_F(SettingsFile, WarnOfAnApiWithoutActorKeys) {
  EXPECT_THAT(load()->warnings, ElementsAre(HasSubstr("AUTH_ERRORS_ACTOR_KEYS is not set")));
  roles_ = "outbox";
  EXPECT_THAT(load()->warnings, IsEmpty());
  roles_ = "api";
  environment_["AUTH_ERRORS_ACTOR_KEYS"] = "1:" + std::string(32, 'k');
  EXPECT_THAT(load()->warnings, IsEmpty());
}

TEST_F(SettingsFile, AcceptTheProjectsConfigFile) {
  SettingSources sources;
  sources.file = tests::projectPath("config.json");
  sources.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "AMQP_URL") {
      return "amqp://h/";
    }
    return name == "DATABASE_URL" ? std::optional<std::string>("postgresql://h/d") : std::nullopt;
  };
  EXPECT_TRUE(loadSettings(sources));
}

TEST(SettingsHelp, ListsEverySettingOnce) {
  const std::string help = settingsHelp();
  for (const char* name : {"AUTH_ERRORS_PORT", "DATABASE_URL_FILE", "custom_config.roles"}) {
    EXPECT_THAT(help, HasSubstr(name));
  }
}

}  // namespace
}  // namespace auth_errors::app
