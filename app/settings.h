// All validated settings: config.json, overridden by the environment. Read once by the main thread
// before anything connects, then constant. Reports all problems at once and never shows a secret.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/client_address.h"
#include "domain/retry/retry_policy.h"
#include "domain/scrub/patterns.h"
#include "domain/values/ip_network.h"
#include "platform/security/pseudonymiser.h"
#include "platform/security/token_bucket.h"
#include "platform/telemetry/log.h"

namespace auth_errors::app {

// The roles of an instance; by default all of them.
enum class Role : std::uint8_t { api, outbox, consumer, ops };

// True for all roles but the API.
bool needsBroker(const std::set<Role>& roles);

struct Settings {
  struct Http {
    std::string address;
    std::uint16_t port = 0;
    std::size_t threads = 0;               // resolved: never 0
    std::filesystem::path tlsCertificate;  // empty: plain HTTP
    std::filesystem::path tlsKey;
    std::vector<domain::IpNetwork> trustedProxies;
    controllers::ForwardedHeader forwardedHeader{};
    std::size_t maxBodyBytes = 0;
    std::size_t maxBatchBodyBytes = 0;
    std::size_t maxHeldBytes = 0;  // for requests and responses of all clients
    std::size_t maxHeldPerConnection = 0;
    std::size_t maxConnections = 0;
    std::size_t maxConnectionsPerAddress = 0;  // 0: unlimited; loopback and proxies are exempt
    std::chrono::seconds idleTimeout{};
    std::chrono::milliseconds receiveDeadline{};  // from a request's first byte to its last
  };
  struct Database {
    std::string url;
    std::chrono::milliseconds connectTimeout{};
    std::chrono::milliseconds statementTimeout{};
    std::size_t queueLimit = 0;
    std::chrono::milliseconds requestDeadline{};
    std::filesystem::path migrations;
    bool migrateOnServe = false;
  };
  struct Ingest {
    std::size_t batchRows = 0;
    std::size_t batchBytes = 0;
    std::size_t queueLimit = 0;  // per I/O loop, like the next one
    std::size_t queueBytes = 0;
  };
  struct Actors {
    std::vector<security::PseudonymKey> keys;  // empty: no pseudonyms are stored
    bool storeIdentifiers = false;
  };
  struct Scrub {
    std::vector<std::string> patterns;
    std::vector<std::string> allowed;
    std::shared_ptr<const domain::ScrubPatterns>
        matcher;  // built from both lists; null: both are empty
  };
  struct Reading {
    std::size_t maxExports = 0;
  };
  struct RateLimit {
    security::Rate perKey;  // default for keys without their own rate
    security::Rate perAddress;
  };
  struct Broker {
    std::string url;
    std::filesystem::path certificate;  // empty: the system's
    std::string prefix;
    std::chrono::milliseconds heartbeat{};
    std::size_t window = 0;
  };
  struct Outbox {
    std::size_t batchRows = 0;
    std::size_t lanes = 0;
    std::chrono::milliseconds pollInterval{};
    std::chrono::milliseconds claimTimeout{};
    std::chrono::milliseconds reapInterval{};
    std::chrono::milliseconds sweepInterval{};
    std::chrono::milliseconds stuckAfter{};
  };
  struct Consumer {
    std::uint16_t prefetch = 0;
    std::size_t batchRows = 0;
    std::chrono::milliseconds lease{};
  };
  struct Jobs {
    std::size_t chunkRows = 0;
    std::chrono::milliseconds lease{};
    std::chrono::days kept{};
  };
  struct Rules {
    std::chrono::milliseconds interval{};
  };
  struct RetryDelays {
    domain::RetryRungs rungs{};
  };
  struct Log {
    telemetry::LogLevel level{};
    telemetry::LogFormat format{};
  };

  Http http;
  Database database;
  Ingest ingest;
  Actors actors;
  Scrub scrub;
  Reading reading;
  RateLimit rateLimit;
  Broker broker;
  Outbox outbox;
  Consumer consumer;
  Jobs jobs;
  Rules rules;
  RetryDelays retry;
  Log log;
  std::chrono::milliseconds shutdownDeadline{};
  std::set<Role> roles;
};

struct SettingProblem {
  std::string key;      // as given: a key of the file, or a variable
  std::string value;    // empty for secrets and for missing values
  std::string allowed;  // what would be valid
};

std::string toText(const SettingProblem& problem);

// One effective setting, for check-config.
struct SettingLine {
  std::string_view key;
  std::string_view environment;
  std::string value;
  std::string source;  // default, a file's name, environment, command line
};

struct LoadedSettings {
  Settings settings;
  std::vector<SettingLine> lines;
  // Allowed settings that are probably mistakes.
  std::vector<std::string> warnings;
};

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view)>;

std::optional<std::string> processEnvironment(std::string_view name);
// The names of all environment variables.
std::vector<std::string> processVariables();

struct SettingSources {
  std::optional<std::filesystem::path> file;
  EnvironmentLookup environment = processEnvironment;
  std::function<std::vector<std::string>()> variables = processVariables;
  std::optional<std::string> roles;  // from the command line, which takes precedence
  bool forServing = true;            // if false, settings only needed for serving may be missing
};

std::expected<LoadedSettings, std::vector<SettingProblem>> loadSettings(
    const SettingSources& sources);

// The table of all settings: variable, key, purpose, allowed values, default.
std::string settingsHelp();

}  // namespace auth_errors::app
