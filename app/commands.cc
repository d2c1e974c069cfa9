#include "app/commands.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <expected>
#include <filesystem>
#include <format>
#include <memory>
#include <print>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <drogon/HttpAppFramework.h>

#include "app/components.h"
#include "app/database_options.h"
#include "app/server.h"
#include "app/version.h"
#include "database/client.h"
#include "database/migrator.h"
#include "domain/scrubber.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace auth_errors::app {
namespace {

constexpr std::string_view kDefaultConfigFile = "config.json";

SettingSources sourcesOf(const CommandLine& commandLine) {
  SettingSources sources;
  sources.roles = commandLine.roles;
  if (!commandLine.configFile.empty()) {
    sources.file = commandLine.configFile;
  } else if (std::filesystem::exists(kDefaultConfigFile)) {
    sources.file = kDefaultConfigFile;
  }
  return sources;
}

std::expected<LoadedSettings, int> loadOrReport(const CommandLine& commandLine) {
  auto loaded = loadSettings(sourcesOf(commandLine));
  if (loaded) {
    return *std::move(loaded);
  }
  std::println(stderr, "auth-errors: {} of the settings {} wrong:", loaded.error().size(),
               loaded.error().size() == 1 ? "is" : "are");
  for (const SettingProblem& problem : loaded.error()) {
    std::println(stderr, "  {}", toText(problem));
  }
  return std::unexpected(kExitUsage);
}

// Whatever a line quotes, a library's message included, goes through the scrubber first.
void startLog(const Settings::Log& settings) {
  telemetry::setLogScrubber(
      [](std::string_view text) { return domain::scrub(text, domain::ScrubContext{}).text; });
  telemetry::configureLog(settings.level, settings.format);
}

}  // namespace

std::string versionText() {
  return std::format("auth-errors {} ({})\nDrogon {} ({})", kVersion, kRevision,
                     drogon::getVersion(), kDrogonBuild);
}

int serve(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine);
  if (!loaded) {
    return loaded.error();
  }
  const Settings& settings = loaded->settings;
  startLog(settings.log);
  telemetry::log(telemetry::LogLevel::info, "service.starting",
                 {{"version", kVersion}, {"revision", kRevision}, {"drogon", kDrogonBuild}});
  const auto metrics = std::make_shared<telemetry::Metrics>(kVersion, kDrogonBuild);
  Components components(settings, *metrics, *drogon::app().getLoop());
  if (const auto served = runServer(settings, components, metrics); !served) {
    throw std::runtime_error(served.error());
  }
  return kExitOk;
}

int migrate(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine);
  if (!loaded) {
    return loaded.error();
  }
  const Settings& settings = loaded->settings;
  startLog(settings.log);
  trantor::EventLoop& loop = *drogon::app().getLoop();
  database::Client client(loop, databaseOptions(settings, "migrate"));
  std::string failure;
  drogon::async_run([&]() -> drogon::Task<> {
    try {
      const auto report =
          co_await database::migrate(client, settings.database.migrations,
                                     std::chrono::steady_clock::now() + kMigrationDeadline);
      telemetry::log(telemetry::LogLevel::info, "schema.migrated",
                     {{"version", report.version}, {"applied", report.applied.size()}});
    } catch (const std::exception& error) {
      failure = error.what();
    }
    // Queued: the client must not be closed inside one of its own callbacks.
    loop.queueInLoop([&] {
      client.close();
      loop.quit();
    });
  });
  loop.loop();
  if (!failure.empty()) {
    throw std::runtime_error("cannot migrate: " + failure);
  }
  return kExitOk;
}

int checkConfig(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine);
  if (!loaded) {
    return loaded.error();
  }
  for (const SettingLine& line : loaded->lines) {
    std::println("{:<45} {:<30} {:<24} {}", line.key, line.value.empty() ? "-" : line.value,
                 line.source, line.environment);
  }
  return kExitOk;
}

}  // namespace auth_errors::app
