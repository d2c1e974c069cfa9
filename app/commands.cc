#include "app/commands.h"

#include <cstdio>
#include <expected>
#include <filesystem>
#include <format>
#include <memory>
#include <print>
#include <string_view>
#include <vector>

#include <drogon/HttpAppFramework.h>

#include "app/components.h"
#include "app/server.h"
#include "app/version.h"
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
  telemetry::configureLog(settings.log.level, settings.log.format);
  telemetry::log(telemetry::LogLevel::info, "service.starting",
                 {{"version", kVersion}, {"revision", kRevision}, {"drogon", kDrogonBuild}});
  const auto metrics = std::make_shared<telemetry::Metrics>(kVersion, kDrogonBuild);
  Components components(settings, *metrics);
  if (const auto served = runServer(settings, components, metrics); !served) {
    telemetry::log(telemetry::LogLevel::error, "server.failed", {{"error", served.error()}});
    std::println(stderr, "auth-errors: {}", served.error());
    return kExitFailure;
  }
  return kExitOk;
}

int migrate(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine);
  if (!loaded) {
    return loaded.error();
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
