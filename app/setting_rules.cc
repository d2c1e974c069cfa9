#include "app/setting_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <format>
#include <initializer_list>
#include <optional>
#include <set>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

namespace auth_errors::app {
namespace {

constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kMebi = 1024 * kKibi;

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

std::optional<std::int64_t> numberWithin(const SettingRule& rule, std::string_view text) {
  const auto number = parseInteger(text);
  return number && *number >= rule.minimum && *number <= rule.maximum ? number : std::nullopt;
}

// A count, or a duration in its member's own unit.
template <auto Group, auto Member>
bool assignNumber(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  auto& member = settings.*Group.*Member;
  member = static_cast<std::remove_reference_t<decltype(member)>>(number.value_or(0));
  return number.has_value();
}

template <auto Group, auto Member>
bool assignBytes(const SettingRule& rule, Settings& settings, std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K') || text.ends_with('k')) {
    unit = kKibi;
  } else if (text.ends_with('M') || text.ends_with('m')) {
    unit = kMebi;
  }
  const auto number = parseInteger(unit == 1 ? text : text.substr(0, text.size() - 1));
  if (!number || *number < 0 || *number > rule.maximum / unit || *number * unit < rule.minimum) {
    return false;
  }
  settings.*Group.*Member = static_cast<std::size_t>(*number * unit);
  return true;
}

template <auto Member>
bool assignRate(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  (settings.rateLimit.*Member).perSecond = number.value_or(0);
  return number.has_value();
}

template <auto Group, auto Member>
bool assignFlag(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  if (text != "true" && text != "false") {
    return false;
  }
  settings.*Group.*Member = text == "true";
  return true;
}

template <auto Group, auto Member>
bool assignPath(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.*Group.*Member = text;
  return true;
}

// Host and path are the client library's to judge; a swapped or cut value is caught here.
bool isUrl(std::string_view text, std::initializer_list<std::string_view> schemes) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos &&
         std::ranges::any_of(schemes, [&](std::string_view s) { return text.starts_with(s); });
}

bool assignDatabaseUrl(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.database.url = text;
  return isUrl(text, {"postgresql://", "postgres://"});
}

bool assignBrokerUrl(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.url = text;
  return isUrl(text, {"amqp://", "amqps://"});
}

bool assignBrokerPrefix(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.prefix = text;
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

// As many as there are rungs, each at least as long as the one before.
bool assignRetryDelays(const SettingRule& rule, Settings& settings, std::string_view text) {
  if (std::ranges::count(text, ',') + 1 != static_cast<std::ptrdiff_t>(domain::kRetryRungs)) {
    return false;
  }
  std::int64_t shortest = rule.minimum;
  for (std::chrono::milliseconds& rung : settings.retry.rungs) {
    const auto end = std::min(text.find(','), text.size());
    const auto number = parseInteger(text.substr(0, end));
    if (!number || *number < shortest || *number > rule.maximum) {
      return false;
    }
    shortest = *number;
    rung = std::chrono::milliseconds(*number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool assignActorKeys(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  auto keys = security::parsePseudonymKeys(text);
  if (!keys) {
    return false;
  }
  settings.actors.keys = *std::move(keys);
  return true;
}

bool assignAddress(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  const auto address = controllers::IpAddress::parse(text);
  if (address) {
    settings.http.address = text;
  }
  return address.has_value();
}

std::vector<std::string_view> commaList(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    while (item.starts_with(' ')) {
      item.remove_prefix(1);
    }
    while (item.ends_with(' ')) {
      item.remove_suffix(1);
    }
    items.push_back(item);
    text = end < text.size() ? text.substr(end + 1) : std::string_view{};
  }
  return items;
}

// Items that may hold commas, so each has a line of its own.
template <auto Group, auto Member>
bool assignLines(const SettingRule& rule, Settings& settings, std::string_view text) {
  std::vector<std::string>& lines = settings.*Group.*Member;
  while (!text.empty()) {
    const auto end = std::min(text.find(rule.separator), text.size());
    if (end > 0) {
      lines.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;  // judged together, by what is made of them
}

bool assignTrustedProxies(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  std::vector<controllers::IpNetwork> networks;
  for (const std::string_view item : commaList(text)) {
    const auto network = controllers::IpNetwork::parse(item);
    if (!network) {
      return false;
    }
    networks.push_back(*network);
  }
  settings.http.trustedProxies = std::move(networks);
  return true;
}

bool assignForwardedHeader(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  using enum controllers::ForwardedHeader;
  for (const auto header : {xForwardedFor, forwarded}) {
    if (text == controllers::headerName(header)) {
      settings.http.forwardedHeader = header;
      return true;
    }
  }
  return false;
}

bool assignLogLevel(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto level = telemetry::parseLogLevel(lower);
  settings.log.level = level.value_or(telemetry::LogLevel::info);
  return level.has_value();
}

bool assignLogFormat(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  if (text == "auto") {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    settings.log.format = terminal ? telemetry::LogFormat::text : telemetry::LogFormat::json;
    return true;
  }
  settings.log.format = text == "text" ? telemetry::LogFormat::text : telemetry::LogFormat::json;
  return text == "text" || text == "json";
}

bool assignRoles(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  static constexpr std::array kRoles = {
      std::pair{std::string_view("api"), Role::api},
      std::pair{std::string_view("outbox"), Role::outbox},
      std::pair{std::string_view("consumer"), Role::consumer},
      std::pair{std::string_view("ops"), Role::ops},
  };
  std::set<Role> roles;
  for (const std::string_view item : commaList(text)) {
    const auto* const found =
        std::ranges::find(kRoles, item, &std::pair<std::string_view, Role>::first);
    if (found == kRoles.end()) {
      return false;
    }
    roles.insert(found->second);
  }
  settings.roles = std::move(roles);
  return !settings.roles.empty();
}

bool assignShutdownDeadline(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  settings.shutdownDeadline = std::chrono::milliseconds(number.value_or(0));
  return number.has_value();
}

constexpr std::string_view kPatternLines = "RE2 expressions, one per line; an array in config.json";

using S = Settings;

// The one list: it drives parsing, defaults, ranges, help and check-config. Drogon's own keys keep
// their place in "app" and "listeners"; what Drogon does not know is in "custom_config".
constexpr std::array kRules = {
    SettingRule{.key = "listeners.0.address",
                .environment = "AUTH_ERRORS_LISTEN",
                .fallback = "127.0.0.1",
                .help = "listen address",
                .assign = assignAddress,
                .allowed = "an IPv4 or IPv6 address, such as 0.0.0.0 or ::"},
    SettingRule{.key = "listeners.0.port",
                .environment = "AUTH_ERRORS_PORT",
                .fallback = "8080",
                .help = "listen port",
                .assign = assignNumber<&S::http, &S::Http::port>,
                .minimum = 1,
                .maximum = 65535},
    SettingRule{.key = "listeners.0.cert",
                .environment = "AUTH_ERRORS_TLS_CERTIFICATE",
                .fallback = "",
                .help = "PEM file with the certificate chain; enables TLS",
                .assign = assignPath<&S::http, &S::Http::tlsCertificate>,
                .allowed = "a readable PEM file",
                .path = true},
    SettingRule{.key = "listeners.0.key",
                .environment = "AUTH_ERRORS_TLS_KEY",
                .fallback = "",
                .help = "PEM file with the private key",
                .assign = assignPath<&S::http, &S::Http::tlsKey>,
                .allowed = "a readable PEM file",
                .path = true},
    SettingRule{.key = "app.number_of_threads",
                .environment = "AUTH_ERRORS_THREADS",
                .fallback = "0",
                .help = "number of I/O threads; 0: one per core",
                .assign = assignNumber<&S::http, &S::Http::threads>,
                .minimum = 0,
                .maximum = 256},
    SettingRule{.key = "app.client_max_body_size",
                .environment = "AUTH_ERRORS_MAX_BODY",
                .fallback = "1M",
                .help = "maximum size of a request body",
                .assign = assignBytes<&S::http, &S::Http::maxBodyBytes>,
                .minimum = kKibi,
                .maximum = 64 * kMebi,
                .allowed = "bytes from 1K to 64M, with suffix K or M"},
    SettingRule{.key = "custom_config.max_batch_body_size",
                .environment = "AUTH_ERRORS_MAX_BATCH_BODY",
                .fallback = "16M",
                .help = "maximum size of a batch body",
                .assign = assignBytes<&S::http, &S::Http::maxBatchBodyBytes>,
                .minimum = kKibi,
                .maximum = 256 * kMebi,
                .allowed = "bytes from 1K to 256M, with suffix K or M"},
    SettingRule{.key = "app.max_connections",
                .environment = "AUTH_ERRORS_MAX_CONNECTIONS",
                .fallback = "10000",
                .help = "maximum number of client connections",
                .assign = assignNumber<&S::http, &S::Http::maxConnections>,
                .minimum = 1,
                .maximum = 1'000'000},
    SettingRule{.key = "app.max_connections_per_ip",
                .environment = "AUTH_ERRORS_MAX_CONNECTIONS_PER_ADDRESS",
                .fallback = "256",
                .help = "maximum number of connections per client address; 0: unlimited; loopback "
                        "and trusted proxies are exempt",
                .assign = assignNumber<&S::http, &S::Http::maxConnectionsPerAddress>,
                .minimum = 0,
                .maximum = 1'000'000},
    SettingRule{.key = "app.idle_connection_timeout",
                .environment = "AUTH_ERRORS_IDLE_TIMEOUT_SECONDS",
                .fallback = "60",
                .help = "idle time in seconds after which a connection is closed",
                .assign = assignNumber<&S::http, &S::Http::idleTimeout>,
                .minimum = 2,  // trantor's timing wheel ends the process for less
                .maximum = 3600},
    SettingRule{.key = "app.log.log_level",
                .environment = "AUTH_ERRORS_LOG_LEVEL",
                .fallback = "info",
                .help = "minimum log level",
                .assign = assignLogLevel,
                .allowed = "debug, info, warn or error"},
    SettingRule{.key = "custom_config.log_format",
                .environment = "AUTH_ERRORS_LOG_FORMAT",
                .fallback = "auto",
                .help = "log format; auto: text on a terminal, otherwise json",
                .assign = assignLogFormat,
                .allowed = "auto, json or text"},
    SettingRule{.key = "custom_config.trusted_proxies",
                .environment = "AUTH_ERRORS_TRUSTED_PROXIES",
                .fallback = "",
                .help = "proxies trusted to report the client's address",
                .assign = assignTrustedProxies,
                .allowed = "a comma-separated list of networks, such as 10.0.0.0/8, fd00::/8"},
    SettingRule{.key = "custom_config.forwarded_header",
                .environment = "AUTH_ERRORS_FORWARDED_HEADER",
                .fallback = "x-forwarded-for",
                .help = "header in which trusted proxies report the client's address",
                .assign = assignForwardedHeader,
                .allowed = "x-forwarded-for or forwarded"},
    SettingRule{.key = "custom_config.max_held_bytes",
                .environment = "AUTH_ERRORS_MAX_HELD",
                .fallback = "64M",
                .help = "memory limit for requests and responses of all clients; above it the "
                        "connections that use most are closed",
                .assign = assignBytes<&S::http, &S::Http::maxHeldBytes>,
                .minimum = kMebi,
                .maximum = kMebi * kMebi,
                .allowed = "bytes from 1M to 1048576M, with suffix K or M"},
    SettingRule{.key = "custom_config.max_held_per_connection",
                .environment = "AUTH_ERRORS_MAX_HELD_PER_CONNECTION",
                .fallback = "128K",
                .help = "memory limit for pending requests and responses of a connection; above it "
                        "no further request is read",
                .assign = assignBytes<&S::http, &S::Http::maxHeldPerConnection>,
                .minimum = 16 * kKibi,
                .maximum = 1024 * kMebi,
                .allowed = "bytes from 16K to 1024M, with suffix K or M"},
    SettingRule{.key = "custom_config.receive_deadline_ms",
                .environment = "AUTH_ERRORS_RECEIVE_DEADLINE_MS",
                .fallback = "15000",
                .help = "time limit for receiving a request, from its first byte to its last",
                .assign = assignNumber<&S::http, &S::Http::receiveDeadline>,
                .minimum = 100,
                .maximum = 600'000},
    SettingRule{.key = "custom_config.database.url",
                .environment = "DATABASE_URL",
                .fallback = "",
                .help = "connection URL of the database",
                .assign = assignDatabaseUrl,
                .allowed = "postgresql://user:password@host:port/database",
                .secret = true},
    SettingRule{.key = "custom_config.database.connect_timeout_ms",
                .environment = "AUTH_ERRORS_DATABASE_CONNECT_TIMEOUT_MS",
                .fallback = "5000",
                .help = "timeout of a connection attempt",
                .assign = assignNumber<&S::database, &S::Database::connectTimeout>,
                .minimum = 100,
                .maximum = 60'000},
    SettingRule{.key = "custom_config.database.statement_timeout_ms",
                .environment = "AUTH_ERRORS_DATABASE_STATEMENT_TIMEOUT_MS",
                .fallback = "30000",
                .help = "statement timeout enforced by the server",
                .assign = assignNumber<&S::database, &S::Database::statementTimeout>,
                .minimum = 100,
                .maximum = 600'000},
    SettingRule{.key = "custom_config.database.queue_limit",
                .environment = "AUTH_ERRORS_DATABASE_QUEUE_LIMIT",
                .fallback = "1024",
                .help = "statements that may wait for a connection, per connection pool",
                .assign = assignNumber<&S::database, &S::Database::queueLimit>,
                .minimum = 1,
                .maximum = 1'000'000},
    SettingRule{.key = "custom_config.database.request_deadline_ms",
                .environment = "AUTH_ERRORS_REQUEST_DEADLINE_MS",
                .fallback = "5000",
                .help = "time a request may wait for the database before it is refused with 503",
                .assign = assignNumber<&S::database, &S::Database::requestDeadline>,
                .minimum = 100,
                .maximum = 60'000},
    SettingRule{.key = "custom_config.database.migrations",
                .environment = "AUTH_ERRORS_MIGRATIONS",
                .fallback = "migrations",
                .help = "folder with the numbered SQL files",
                .assign = assignPath<&S::database, &S::Database::migrations>,
                .allowed = "a folder",
                .path = true},
    SettingRule{.key = "custom_config.database.migrate_on_serve",
                .environment = "AUTH_ERRORS_MIGRATE_ON_SERVE",
                .fallback = "false",
                .help = "apply pending migrations at startup",
                .assign = assignFlag<&S::database, &S::Database::migrateOnServe>,
                .allowed = "true or false"},
    SettingRule{
        .key = "custom_config.actors.keys",
        .environment = "AUTH_ERRORS_ACTOR_KEYS",
        .fallback = "",
        .help = "keys for pseudonyms of users, sessions and addresses; if not set, these are not "
                "stored",
        .assign = assignActorKeys,
        .allowed = "a comma-separated list of version:secret, such as 2:…,1:…, with distinct "
                   "versions from 1 to 65535 and secrets of at least 32 characters",
        .secret = true},
    SettingRule{
        .key = "custom_config.actors.store_identifiers",
        .environment = "AUTH_ERRORS_STORE_IDENTIFIERS",
        .fallback = "false",
        .help = "store userId, sessionId and clientIp in plain text besides their pseudonyms",
        .assign = assignFlag<&S::actors, &S::Actors::storeIdentifiers>,
        .allowed = "true or false"},
    SettingRule{.key = "custom_config.scrub.patterns",
                .environment = "AUTH_ERRORS_SCRUB_PATTERNS",
                .fallback = "",
                .help = "patterns of the organisation's own secrets; if a pattern has a group, "
                        "only the group is redacted",
                .assign = assignLines<&S::scrub, &S::Scrub::patterns>,
                .allowed = kPatternLines,
                .separator = '\n'},
    SettingRule{
        .key = "custom_config.scrub.allowed",
        .environment = "AUTH_ERRORS_SCRUB_ALLOWED",
        .fallback = "",
        .help = "patterns of whole tokens that are not redacted merely because they look random",
        .assign = assignLines<&S::scrub, &S::Scrub::allowed>,
        .allowed = kPatternLines,
        .separator = '\n'},
    SettingRule{.key = "custom_config.rate_limit.per_key",
                .environment = "AUTH_ERRORS_RATE_LIMIT_PER_KEY",
                .fallback = "5000",
                .help = "requests per second for keys without their own limit, with bursts of "
                        "twice as many; 0: unlimited",
                .assign = assignRate<&S::RateLimit::perKey>,
                .minimum = 0,
                .maximum = security::kMaxRate},
    SettingRule{.key = "custom_config.rate_limit.per_address",
                .environment = "AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS",
                .fallback = "2000",
                .help = "requests per second and client address, with bursts of twice as many; 0: "
                        "unlimited; loopback is exempt",
                .assign = assignRate<&S::RateLimit::perAddress>,
                .minimum = 0,
                .maximum = security::kMaxRate},
    SettingRule{.key = "custom_config.ingest.batch_rows",
                .environment = "AUTH_ERRORS_INGEST_BATCH_ROWS",
                .fallback = "128",
                .help = "maximum number of errors in a group commit",
                .assign = assignNumber<&S::ingest, &S::Ingest::batchRows>,
                .minimum = 1,
                .maximum = 10'000},
    SettingRule{.key = "custom_config.ingest.batch_bytes",
                .environment = "AUTH_ERRORS_INGEST_BATCH_BYTES",
                .fallback = "1M",
                .help = "maximum size of the text in a group commit",
                .assign = assignBytes<&S::ingest, &S::Ingest::batchBytes>,
                .minimum = 64 * kKibi,
                .maximum = 256 * kMebi,
                .allowed = "bytes from 64K to 256M, with suffix K or M"},
    SettingRule{.key = "custom_config.ingest.queue_limit",
                .environment = "AUTH_ERRORS_INGEST_QUEUE_LIMIT",
                .fallback = "4096",
                .help = "maximum number of errors waiting for a group commit, per I/O thread",
                .assign = assignNumber<&S::ingest, &S::Ingest::queueLimit>,
                .minimum = 1,
                .maximum = 1'000'000},
    SettingRule{.key = "custom_config.ingest.queue_bytes",
                .environment = "AUTH_ERRORS_INGEST_QUEUE_BYTES",
                .fallback = "64M",
                .help = "maximum size of the text waiting for a group commit, per I/O thread",
                .assign = assignBytes<&S::ingest, &S::Ingest::queueBytes>,
                .minimum = kMebi,
                .maximum = 1024 * kMebi,
                .allowed = "bytes from 1M to 1024M, with suffix K or M"},
    SettingRule{.key = "custom_config.reading.max_exports",
                .environment = "AUTH_ERRORS_MAX_EXPORTS",
                .fallback = "4",
                .help = "maximum number of concurrent exports; more are refused with 429",
                .assign = assignNumber<&S::reading, &S::Reading::maxExports>,
                .minimum = 1,
                .maximum = 1'000},
    SettingRule{.key = "custom_config.broker.url",
                .environment = "AMQP_URL",
                .fallback = "",
                .help = "connection URL of the broker",
                .assign = assignBrokerUrl,
                .allowed = "amqp://user:password@host:port/vhost or amqps://…",
                .secret = true},
    SettingRule{
        .key = "custom_config.broker.certificate",
        .environment = "AUTH_ERRORS_BROKER_CERTIFICATE",
        .fallback = "",
        .help = "PEM file with the CA certificates for amqps; if not set, those of the system",
        .assign = assignPath<&S::broker, &S::Broker::certificate>,
        .allowed = "a file",
        .path = true},
    SettingRule{.key = "custom_config.broker.prefix",
                .environment = "AUTH_ERRORS_BROKER_PREFIX",
                .fallback = "auth-errors",
                .help = "prefix of the names of the exchange and the queues",
                .assign = assignBrokerPrefix,
                .allowed = "1 to 64 letters, digits, dots, dashes and underscores"},
    SettingRule{
        .key = "custom_config.broker.heartbeat_ms",
        .environment = "AUTH_ERRORS_BROKER_HEARTBEAT_MS",
        .fallback = "10000",
        .help = "heartbeat interval; the connection is dropped after twice as long without data",
        .assign = assignNumber<&S::broker, &S::Broker::heartbeat>,
        .minimum = 1'000,
        .maximum = 600'000},
    SettingRule{.key = "custom_config.broker.window",
                .environment = "AUTH_ERRORS_BROKER_WINDOW",
                .fallback = "500",
                .help = "maximum number of unconfirmed messages, per connection",
                .assign = assignNumber<&S::broker, &S::Broker::window>,
                .minimum = 1,
                .maximum = 10'000},
    SettingRule{.key = "custom_config.outbox.batch_rows",
                .environment = "AUTH_ERRORS_OUTBOX_BATCH_ROWS",
                .fallback = "200",
                .help = "maximum number of messages in a claim",
                .assign = assignNumber<&S::outbox, &S::Outbox::batchRows>,
                .minimum = 1,
                .maximum = 5'000},
    SettingRule{.key = "custom_config.outbox.lanes",
                .environment = "AUTH_ERRORS_OUTBOX_LANES",
                .fallback = "2",
                .help = "number of concurrent claims",
                .assign = assignNumber<&S::outbox, &S::Outbox::lanes>,
                .minimum = 1,
                .maximum = 16},
    SettingRule{.key = "custom_config.outbox.poll_interval_ms",
                .environment = "AUTH_ERRORS_OUTBOX_POLL_INTERVAL_MS",
                .fallback = "500",
                .help = "polling interval for due messages, in case a notification was missed",
                .assign = assignNumber<&S::outbox, &S::Outbox::pollInterval>,
                .minimum = 10,
                .maximum = 60'000},
    SettingRule{.key = "custom_config.outbox.claim_timeout_ms",
                .environment = "AUTH_ERRORS_OUTBOX_CLAIM_TIMEOUT_MS",
                .fallback = "60000",
                .help = "lease of a claim; afterwards its messages are released",
                .assign = assignNumber<&S::outbox, &S::Outbox::claimTimeout>,
                .minimum = 1'000,
                .maximum = 3'600'000},
    SettingRule{.key = "custom_config.outbox.reap_interval_ms",
                .environment = "AUTH_ERRORS_OUTBOX_REAP_INTERVAL_MS",
                .fallback = "5000",
                .help = "interval of the search for expired claims",
                .assign = assignNumber<&S::outbox, &S::Outbox::reapInterval>,
                .minimum = 100,
                .maximum = 600'000},
    SettingRule{.key = "custom_config.outbox.sweep_interval_ms",
                .environment = "AUTH_ERRORS_OUTBOX_SWEEP_INTERVAL_MS",
                .fallback = "30000",
                .help = "interval of the search for messages lost by the broker",
                .assign = assignNumber<&S::outbox, &S::Outbox::sweepInterval>,
                .minimum = 100,
                .maximum = 3'600'000},
    SettingRule{
        .key = "custom_config.outbox.stuck_after_ms",
        .environment = "AUTH_ERRORS_STUCK_AFTER_MS",
        .fallback = "3600000",
        .help = "time in one status before the analysis after which an error counts as stuck",
        .assign = assignNumber<&S::outbox, &S::Outbox::stuckAfter>,
        .minimum = 1'000,
        .maximum = 604'800'000},
    SettingRule{.key = "custom_config.consumer.prefetch",
                .environment = "AUTH_ERRORS_CONSUMER_PREFETCH",
                .fallback = "256",
                .help = "maximum number of unacknowledged messages (prefetch)",
                .assign = assignNumber<&S::consumer, &S::Consumer::prefetch>,
                .minimum = 1,
                .maximum = 10'000},
    SettingRule{.key = "custom_config.consumer.batch_rows",
                .environment = "AUTH_ERRORS_CONSUMER_BATCH_ROWS",
                .fallback = "128",
                .help = "maximum number of messages in a transaction",
                .assign = assignNumber<&S::consumer, &S::Consumer::batchRows>,
                .minimum = 1,
                .maximum = 5'000},
    SettingRule{.key = "custom_config.consumer.lease_ms",
                .environment = "AUTH_ERRORS_CONSUMER_LEASE_MS",
                .fallback = "60000",
                .help = "lease of a message in processing; renewed while its consumer is alive",
                .assign = assignNumber<&S::consumer, &S::Consumer::lease>,
                .minimum = 500,
                .maximum = 3'600'000},
    SettingRule{.key = "custom_config.jobs.chunk_rows",
                .environment = "AUTH_ERRORS_JOBS_CHUNK_ROWS",
                .fallback = "40",
                .help = "errors of a cluster that a job examines in one transaction",
                .assign = assignNumber<&S::jobs, &S::Jobs::chunkRows>,
                .minimum = 1,
                .maximum = 10'000},
    SettingRule{.key = "custom_config.jobs.lease_ms",
                .environment = "AUTH_ERRORS_JOBS_LEASE_MS",
                .fallback = "30000",
                .help = "lease of a running job; renewed while its instance is alive",
                .assign = assignNumber<&S::jobs, &S::Jobs::lease>,
                .minimum = 500,
                .maximum = 3'600'000},
    SettingRule{.key = "custom_config.jobs.keep_days",
                .environment = "AUTH_ERRORS_JOBS_KEEP_DAYS",
                .fallback = "30",
                .help = "retention of ended jobs, in days",
                .assign = assignNumber<&S::jobs, &S::Jobs::kept>,
                .minimum = 1,
                .maximum = 3'650},
    SettingRule{.key = "custom_config.rules.interval_ms",
                .environment = "AUTH_ERRORS_RULES_INTERVAL_MS",
                .fallback = "5000",
                .help = "interval of the search for errors that have reached the age of a rule",
                .assign = assignNumber<&S::rules, &S::Rules::interval>,
                .minimum = 100,
                .maximum = 600'000},
    SettingRule{
        .key = "custom_config.retry.delays_ms",
        .environment = "AUTH_ERRORS_RETRY_DELAYS_MS",
        .fallback = "10000,60000,600000",
        .help =
            "delays before the first, the second and all further retries; each has its own queue",
        .assign = assignRetryDelays,
        .minimum = 10,
        .maximum = 86'400'000,
        .allowed = "three increasing numbers of milliseconds, such as 10000,60000,600000"},
    SettingRule{.key = "custom_config.shutdown_deadline_ms",
                .environment = "AUTH_ERRORS_SHUTDOWN_DEADLINE_MS",
                .fallback = "15000",
                .help = "time limit for finishing requests and batches after SIGTERM",
                .assign = assignShutdownDeadline,
                .minimum = 100,
                .maximum = 600'000},
    SettingRule{.key = "custom_config.roles",
                .environment = "AUTH_ERRORS_ROLES",
                .fallback = "api,outbox,consumer,ops",
                .help = "roles of this instance",
                .assign = assignRoles,
                .allowed = "a comma-separated list of api, outbox, consumer and ops"},
};

}  // namespace

std::span<const SettingRule> settingRules() { return kRules; }

const SettingRule* settingRuleOf(std::string_view key) {
  const auto* const found = std::ranges::find(kRules, key, &SettingRule::key);
  return found == kRules.end() ? nullptr : found;
}

std::string allowedText(const SettingRule& rule) {
  return rule.allowed.empty() ? std::format("an integer from {} to {}", rule.minimum, rule.maximum)
                              : std::string(rule.allowed);
}

}  // namespace auth_errors::app
