// Everything an operator can set, validated: config.json, overridden by the environment. Read once
// by the main thread before anything connects, then a constant. All problems are found at once, and
// a secret's value is never shown.
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

// What this instance does; the default is all of it.
enum class Role : std::uint8_t { api, outbox, consumer, ops };

// All but the API talk to it.
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
    std::size_t maxHeldBytes = 0;  // for the requests and answers of all clients
    std::size_t maxHeldPerConnection = 0;
    std::size_t maxConnections = 0;
    std::size_t maxConnectionsPerAddress = 0;  // 0: no limit; loopback and proxies have none
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
    std::size_t queueLimit = 0;  // per IO loop, as the next one
    std::size_t queueBytes = 0;
  };
  struct Actors {
    std::vector<security::PseudonymKey> keys;  // empty: persons are not stored at all
    bool storeIdentifiers = false;
  };
  struct Scrub {
    std::vector<std::string> patterns;
    std::vector<std::string> allowed;
    std::shared_ptr<const domain::ScrubPatterns> matcher;  // made of both; null: neither is set
  };
  struct Reading {
    std::size_t maxExports = 0;
  };
  struct RateLimit {
    security::Rate perKey;  // of keys that have none of their own
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
  std::string key;      // as it was given: a key of the file, or a variable
  std::string value;    // empty for secrets and for what is missing
  std::string allowed;  // what would be right
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
  // What is allowed and most likely not meant.
  std::vector<std::string> warnings;
};

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view)>;

std::optional<std::string> processEnvironment(std::string_view name);
// The names of all variables.
std::vector<std::string> processVariables();

struct SettingSources {
  std::optional<std::filesystem::path> file;
  EnvironmentLookup environment = processEnvironment;
  std::function<std::vector<std::string>()> variables = processVariables;
  std::optional<std::string> roles;  // of the command line, which wins
  bool forServing = true;            // else what only serving needs may be missing
};

std::expected<LoadedSettings, std::vector<SettingProblem>> loadSettings(
    const SettingSources& sources);

// The table of all settings: variable, key, default, what is allowed, what it is for.
std::string settingsHelp();

}  // namespace auth_errors::app
