#include "app/commands.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <expected>
#include <filesystem>
#include <format>
#include <functional>
#include <memory>
#include <print>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/HttpAppFramework.h>
#include <drogon/utils/coroutine.h>
#include <unistd.h>

#include "app/broker_options.h"
#include "app/database_options.h"
#include "app/framework_log.h"
#include "app/instance.h"
#include "app/metrics.h"
#include "app/parked_messages.h"
#include "app/server.h"
#include "app/version.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/name.h"
#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"
#include "domain/values/instant.h"
#include "outbox/identity/installation.h"
#include "platform/database/client.h"
#include "platform/database/migrator.h"
#include "platform/hashing/digest.h"
#include "platform/messaging/event_codec.h"
#include "platform/security/actor_key_store.h"
#include "platform/security/api_key.h"
#include "platform/security/api_key_store.h"
#include "platform/telemetry/log.h"

namespace auth_errors::app {
namespace {

constexpr std::string_view kDefaultConfigFile = "config.json";
// Recorded as the creator or revoker of a key; the API records the name of the caller's key.
constexpr const char* kCommandLineActor = "command line";
constexpr std::int64_t kAllKeys = 1'000'000;

SettingSources sourcesOf(const CommandLine& commandLine, bool forServing) {
  SettingSources sources;
  sources.roles = commandLine.roles;
  sources.forServing = forServing;
  if (!commandLine.configFile.empty()) {
    sources.file = commandLine.configFile;
  } else if (std::filesystem::exists(kDefaultConfigFile)) {
    sources.file = kDefaultConfigFile;
  }
  return sources;
}

std::expected<LoadedSettings, int> loadOrReport(const CommandLine& commandLine,
                                                bool forServing = true) {
  auto loaded = loadSettings(sourcesOf(commandLine, forServing));
  if (loaded) {
    return *std::move(loaded);
  }
  std::println(stderr, "auth-errors: {} invalid {}:", loaded.error().size(),
               loaded.error().size() == 1 ? "setting" : "settings");
  for (const SettingProblem& problem : loaded.error()) {
    std::println(stderr, "  {}", toText(problem));
  }
  return std::unexpected(kExitUsage);
}

// Replaces the runtime's own report, which would print the exception unscrubbed.
[[noreturn]] void endOfUncaughtException() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception()) {
      std::rethrow_exception(uncaught);
    }
    reportFailure("terminated without an exception");
  } catch (const std::exception& error) {
    reportFailure(std::format("terminated by an exception: {}", error.what()));
  } catch (...) {
    reportFailure("terminated by an unknown exception");
  }
  std::abort();
}

// Installs the scrubber, so that everything logged passes through it, including messages of
// libraries. REQUIRES: there are no other threads yet.
void startLog(const Settings& settings, int fileDescriptor = STDOUT_FILENO) {
  domain::setScrubPatterns(settings.scrub.matcher);
  std::set_terminate(endOfUncaughtException);
  routeFrameworkLog();
  telemetry::setLogScrubber(
      [](std::string_view text) { return domain::scrub(text, {.named = true}).text; });
  telemetry::configureLog(settings.log.level, settings.log.format, fileDescriptor);
}

// Runs a task on the main loop to completion, and closes its clients. Rethrows its exception.
void runOnMainLoop(const std::function<drogon::Task<>()>& work,
                   const std::function<void()>& close) {
  trantor::EventLoop& loop = *drogon::app().getLoop();
  std::exception_ptr failure;
  drogon::async_run([&]() -> drogon::Task<> {
    try {
      co_await work();
    } catch (...) {
      failure = std::current_exception();
    }
    // Queued: a client must not be closed inside one of its own callbacks.
    loop.queueInLoop([&] {
      close();
      loop.quit();
    });
  });
  loop.loop();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void runWithDatabase(const Settings& settings, const std::string& part,
                     const std::function<drogon::Task<>(database::Client&)>& work) {
  database::Client client(*drogon::app().getLoop(), databaseOptions(settings, part));
  runOnMainLoop([&] { return work(client); }, [&] { client.close(); });
}

database::Deadline soon(const Settings& settings) {
  return std::chrono::steady_clock::now() + settings.database.requestDeadline;
}

// Logs to stderr, because scripts read stdout.
std::expected<Settings, int> loadForScripts(const CommandLine& commandLine) {
  auto loaded = loadOrReport(commandLine, false);
  if (!loaded) {
    return std::unexpected(loaded.error());
  }
  startLog(loaded->settings, STDERR_FILENO);
  frameworkLogOn();
  return std::move(loaded->settings);
}

// Text of a foreign message, made safe for a terminal.
std::string shown(const std::optional<std::string>& text) {
  constexpr std::size_t kMostCodePoints = 100;
  return domain::sanitise(text.value_or(""), kMostCodePoints, {}).text.value_or("-");
}

// Applies `fate` to each parked message, or to those of the given installation; prints their
// number.
int visitParked(const CommandLine& commandLine, const ParkedArguments& arguments,
                ParkedMessages::Fate fate, std::string_view verb) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  if (settings->broker.url.empty()) {
    std::println(stderr, "auth-errors: AMQP_URL is required");
    return kExitUsage;
  }
  constexpr std::string_view kLine = "{:<37} {:<34} {:<10} {}";
  const bool lists = fate == ParkedMessages::Fate::stays;
  if (lists) {
    std::println(kLine, "installation", "event type", "outbox id", "message id");
  }
  const std::optional<domain::InstallationId> chosen(arguments.installation);
  const auto decide = [&](const messaging::Message& message) {
    const auto installation = messaging::readInstallationId(message);
    if (chosen && installation != chosen) {
      return ParkedMessages::Fate::stays;
    }
    if (lists) {
      std::println(kLine, shown(installation.transform([](const auto& id) { return id.text(); })),
                   shown(message.text(domain::event_header::kEventType)),
                   shown(message.text(domain::event_header::kOutboxId)), shown(message.messageId));
    }
    return fate;
  };
  ParkedMessages parked(*drogon::app().getLoop(), {.broker = brokerOptions(*settings, "parked"),
                                                   .topology = topologyOf(*settings)});
  const messaging::QueueName workQueue =
      topologyOf(*settings, arguments.prefix.value_or(settings->broker.prefix)).workQueue;
  runOnMainLoop(
      [&]() -> drogon::Task<> {
        const std::size_t changed = co_await parked.visit(decide, workQueue);
        if (!lists) {
          std::println("{} {}", changed, verb);
        }
      },
      [&] { parked.close(); });
  return kExitOk;
}

}  // namespace

std::string versionText() {
  return std::format("auth-errors {} ({})\nDrogon {} ({})", kVersion, kRevision,
                     drogon::getVersion(), kDrogonBuild);
}

void reportFailure(std::string_view what) {
  std::println(stderr, "auth-errors: {}", domain::scrub(what, {}).text);
}

int serve(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine);
  if (!loaded) {
    return loaded.error();
  }
  const Settings& settings = loaded->settings;
  startLog(settings);
  telemetry::log(telemetry::LogLevel::info, "service.starting",
                 {{"version", kVersion}, {"revision", kRevision}, {"drogon", kDrogonBuild}});
  for (const std::string& warning : loaded->warnings) {
    telemetry::log(telemetry::LogLevel::warn, "settings.doubtful", {{"warning", warning}});
  }
  const auto metrics =
      std::make_shared<Metrics>(telemetry::CodeText(kVersion), telemetry::CodeText(kDrogonBuild));
  Instance instance(settings, *metrics, *drogon::app().getLoop());
  if (const auto served = runServer(settings, instance, metrics); !served) {
    throw std::runtime_error(served.error());
  }
  return kExitOk;
}

int migrate(const CommandLine& commandLine) {
  const auto loaded = loadOrReport(commandLine, false);
  if (!loaded) {
    return loaded.error();
  }
  const Settings& settings = loaded->settings;
  startLog(settings);
  frameworkLogOn();
  try {
    runWithDatabase(settings, "migrate", [&](database::Client& client) -> drogon::Task<> {
      const auto report =
          co_await database::migrate(client, settings.database.migrations,
                                     std::chrono::steady_clock::now() + kMigrationDeadline);
      telemetry::log(telemetry::LogLevel::info, "schema.migrated",
                     {{"version", report.version}, {"applied", report.applied.size()}});
    });
  } catch (const std::exception& error) {
    throw std::runtime_error(std::format("cannot migrate: {}", error.what()));
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
  for (const std::string& warning : loaded->warnings) {
    std::println(stderr, "auth-errors: warning: {}", warning);
  }
  return kExitOk;
}

int createKey(const CommandLine& commandLine, const KeyArguments& arguments) {
  // Loaded first, because a name that matches an organisation's pattern of secrets is refused.
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  const auto key = security::checkKeyRequest({.name = arguments.name,
                                              .role = arguments.role,
                                              .serviceName = arguments.serviceName,
                                              .rateLimit = arguments.rateLimit});
  if (!key) {
    for (const domain::FieldProblem& problem : key.error()) {
      std::println(stderr, "auth-errors: {} {}", problem.field, problem.message);
    }
    return kExitUsage;
  }
  const std::string secret = security::makeSecret();
  runWithDatabase(*settings, "keys", [&](database::Client& client) -> drogon::Task<> {
    const auto record = co_await security::insertKey(client, *key, hashing::sha256(secret),
                                                     kCommandLineActor, soon(*settings));
    if (!record) {
      throw std::runtime_error("a key with this name exists or has existed");
    }
  });
  std::println("{}", secret);
  return kExitOk;
}

int listKeys(const CommandLine& commandLine) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  std::vector<security::KeyRecord> records;
  runWithDatabase(*settings, "keys", [&](database::Client& client) -> drogon::Task<> {
    records = co_await security::listKeys(client, std::nullopt, kAllKeys, soon(*settings));
  });
  constexpr std::string_view kLine = "{:<6} {:<32} {:<9} {:<24} {:<10} {:<28} {}";
  std::println(kLine, "id", "name", "role", "service", "rate limit", "created", "revoked");
  for (const security::KeyRecord& record : records) {
    const auto& key = record.key;
    std::println(kLine, key.id, key.name, key.role.text(), key.serviceName.value_or("-"),
                 key.rateLimit ? std::to_string(*key.rateLimit) : "default",
                 domain::formatInstant(record.createdAt),
                 record.revokedAt ? domain::formatInstant(*record.revokedAt) : "-");
  }
  return kExitOk;
}

int listActorKeys(const CommandLine& commandLine) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  std::vector<security::KnownActorKey> known;
  runWithDatabase(*settings, "actor keys", [&](database::Client& client) -> drogon::Task<> {
    known = co_await security::listActorKeys(client, soon(*settings));
  });
  constexpr std::string_view kLine = "{:<8} {:<33} {:<28} {}";
  std::println(kLine, "version", "fingerprint", "first seen", "by");
  for (const security::KnownActorKey& key : known) {
    std::println(kLine, key.version, key.fingerprint, domain::formatInstant(key.firstSeenAt),
                 key.firstSeenBy);
  }
  return kExitOk;
}

int forgetActorKey(const CommandLine& commandLine, std::int32_t version) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  runWithDatabase(*settings, "actor keys", [&](database::Client& client) -> drogon::Task<> {
    if (!co_await security::forgetActorKey(client, version, soon(*settings))) {
      throw std::runtime_error("the database has no fingerprint of this version");
    }
  });
  return kExitOk;
}

int revokeKey(const CommandLine& commandLine, const KeyArguments& arguments) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  runWithDatabase(*settings, "keys", [&](database::Client& client) -> drogon::Task<> {
    const auto record = co_await security::findKeyByName(client, arguments.name, soon(*settings));
    if (!record) {
      throw std::runtime_error("there is no key with this name");
    }
    const auto revocation =
        co_await security::revokeKey(client, record->key.id, kCommandLineActor, soon(*settings));
    if (!revocation) {
      throw std::runtime_error("this is the last operator key; create another one first");
    }
  });
  return kExitOk;
}

int showInstallation(const CommandLine& commandLine) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  domain::InstallationId id;
  runWithDatabase(*settings, "installation", [&](database::Client& client) -> drogon::Task<> {
    id = co_await outbox::readInstallation(client, soon(*settings));
  });
  std::println("{}", id);
  return kExitOk;
}

int renewInstallation(const CommandLine& commandLine) {
  const auto settings = loadForScripts(commandLine);
  if (!settings) {
    return settings.error();
  }
  domain::InstallationId id;
  runWithDatabase(*settings, "installation", [&](database::Client& client) -> drogon::Task<> {
    id = co_await outbox::renewInstallation(client, soon(*settings));
  });
  std::println("{}", id);
  return kExitOk;
}

int listParked(const CommandLine& commandLine, const ParkedArguments& arguments) {
  return visitParked(commandLine, arguments, ParkedMessages::Fate::stays, "listed");
}

int returnParked(const CommandLine& commandLine, const ParkedArguments& arguments) {
  return visitParked(commandLine, arguments, ParkedMessages::Fate::returned, "returned");
}

int dropParked(const CommandLine& commandLine, const ParkedArguments& arguments) {
  return visitParked(commandLine, arguments, ParkedMessages::Fate::dropped, "dropped");
}

}  // namespace auth_errors::app
