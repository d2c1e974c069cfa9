#include "app/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <format>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <json/json.h>
#include <unistd.h>

#include "app/tls_files.h"

namespace auth_errors::app {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1024} * 1024;
constexpr std::size_t kMaxShownValue = 200;
constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kMebi = 1024 * kKibi;

struct Rule;
// Stores the value; false if the text is none.
using Assign = bool (*)(const Rule&, Settings&, std::string_view);

struct Rule {
  std::string_view key;
  std::string_view environment;
  std::string_view fallback;
  std::string_view help;
  Assign assign;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::string_view allowed = "";  // empty: the range says it
  bool secret = false;
  bool path = false;
};

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

template <auto Group, auto Member>
bool assignInteger(const Rule& rule, Settings& settings, std::string_view text) {
  const auto number = parseInteger(text);
  if (!number || *number < rule.minimum || *number > rule.maximum) {
    return false;
  }
  auto& member = settings.*Group.*Member;
  member = static_cast<std::remove_reference_t<decltype(member)>>(*number);
  return true;
}

template <auto Group, auto Member>
bool assignBytes(const Rule& rule, Settings& settings, std::string_view text) {
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

template <auto Group, auto Member>
bool assignDuration(const Rule& rule, Settings& settings, std::string_view text) {
  const auto number = parseInteger(text);
  if (!number || *number < rule.minimum || *number > rule.maximum) {
    return false;
  }
  auto& member = settings.*Group.*Member;
  member = std::remove_reference_t<decltype(member)>(*number);
  return true;
}

template <auto Member>
bool assignRate(const Rule& rule, Settings& settings, std::string_view text) {
  const auto number = parseInteger(text);
  if (!number || *number < rule.minimum || *number > rule.maximum) {
    return false;
  }
  (settings.rateLimit.*Member).perSecond = *number;
  return true;
}

template <auto Group, auto Member>
bool assignFlag(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  if (text != "true" && text != "false") {
    return false;
  }
  settings.*Group.*Member = text == "true";
  return true;
}

template <auto Group, auto Member>
bool assignPath(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  settings.*Group.*Member = text;
  return true;
}

// Host and path are the client library's to judge; a swapped or cut value is caught here.
bool isUrl(std::string_view text, std::initializer_list<std::string_view> schemes) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos &&
         std::ranges::any_of(schemes, [&](std::string_view s) { return text.starts_with(s); });
}

bool assignDatabaseUrl(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  settings.database.url = text;
  return isUrl(text, {"postgresql://", "postgres://"});
}

bool assignBrokerUrl(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.url = text;
  return isUrl(text, {"amqp://", "amqps://"});
}

bool assignBrokerPrefix(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.prefix = text;
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

// As many as there are rungs, each at least as long as the one before.
bool assignRetryDelays(const Rule& rule, Settings& settings, std::string_view text) {
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

bool assignActorKeys(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  auto keys = security::parsePseudonymKeys(text);
  if (!keys) {
    return false;
  }
  settings.actors.keys = *std::move(keys);
  return true;
}

bool assignAddress(const Rule& /*rule*/, Settings& settings, std::string_view text) {
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

bool assignTrustedProxies(const Rule& /*rule*/, Settings& settings, std::string_view text) {
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

bool assignForwardedHeader(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  using enum controllers::ForwardedHeader;
  for (const auto header : {xForwardedFor, forwarded}) {
    if (text == controllers::headerName(header)) {
      settings.http.forwardedHeader = header;
      return true;
    }
  }
  return false;
}

bool assignLogLevel(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto level = telemetry::parseLogLevel(lower);
  settings.log.level = level.value_or(telemetry::LogLevel::info);
  return level.has_value();
}

bool assignLogFormat(const Rule& /*rule*/, Settings& settings, std::string_view text) {
  if (text == "auto") {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    settings.log.format = terminal ? telemetry::LogFormat::text : telemetry::LogFormat::json;
    return true;
  }
  settings.log.format = text == "text" ? telemetry::LogFormat::text : telemetry::LogFormat::json;
  return text == "text" || text == "json";
}

bool assignRoles(const Rule& /*rule*/, Settings& settings, std::string_view text) {
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

bool assignShutdownDeadline(const Rule& rule, Settings& settings, std::string_view text) {
  const auto number = parseInteger(text);
  settings.shutdownDeadline = std::chrono::milliseconds(number.value_or(0));
  return number && *number >= rule.minimum && *number <= rule.maximum;
}

using S = Settings;

// The one list: it drives parsing, defaults, ranges, help and check-config. Drogon's own keys keep
// their place in "app" and "listeners"; what Drogon does not know is in "custom_config".
constexpr std::array kRules = {
    Rule{.key = "listeners.0.address",
         .environment = "AUTH_ERRORS_LISTEN",
         .fallback = "127.0.0.1",
         .help = "address to listen on",
         .assign = assignAddress,
         .allowed = "an IPv4 or IPv6 address, such as 0.0.0.0 or ::"},
    Rule{.key = "listeners.0.port",
         .environment = "AUTH_ERRORS_PORT",
         .fallback = "8080",
         .help = "port to listen on",
         .assign = assignInteger<&S::http, &S::Http::port>,
         .minimum = 1,
         .maximum = 65535},
    Rule{.key = "listeners.0.cert",
         .environment = "AUTH_ERRORS_TLS_CERTIFICATE",
         .fallback = "",
         .help = "PEM file of the certificate chain; turns TLS on",
         .assign = assignPath<&S::http, &S::Http::tlsCertificate>,
         .allowed = "a readable PEM file",
         .path = true},
    Rule{.key = "listeners.0.key",
         .environment = "AUTH_ERRORS_TLS_KEY",
         .fallback = "",
         .help = "PEM file of the certificate's key",
         .assign = assignPath<&S::http, &S::Http::tlsKey>,
         .allowed = "a readable PEM file",
         .path = true},
    Rule{.key = "app.number_of_threads",
         .environment = "AUTH_ERRORS_THREADS",
         .fallback = "0",
         .help = "IO loops; 0: one per core",
         .assign = assignInteger<&S::http, &S::Http::threads>,
         .minimum = 0,
         .maximum = 256},
    Rule{.key = "app.client_max_body_size",
         .environment = "AUTH_ERRORS_MAX_BODY",
         .fallback = "1M",
         .help = "largest body of a request",
         .assign = assignBytes<&S::http, &S::Http::maxBodyBytes>,
         .minimum = kKibi,
         .maximum = 64 * kMebi,
         .allowed = "bytes from 1K to 64M; K and M are understood"},
    Rule{.key = "custom_config.max_batch_body_size",
         .environment = "AUTH_ERRORS_MAX_BATCH_BODY",
         .fallback = "16M",
         .help = "largest body of a batch",
         .assign = assignBytes<&S::http, &S::Http::maxBatchBodyBytes>,
         .minimum = kKibi,
         .maximum = 256 * kMebi,
         .allowed = "bytes from 1K to 256M; K and M are understood"},
    Rule{.key = "app.max_connections",
         .environment = "AUTH_ERRORS_MAX_CONNECTIONS",
         .fallback = "10000",
         .help = "open client connections",
         .assign = assignInteger<&S::http, &S::Http::maxConnections>,
         .minimum = 1,
         .maximum = 1'000'000},
    Rule{.key = "app.max_connections_per_ip",
         .environment = "AUTH_ERRORS_MAX_CONNECTIONS_PER_ADDRESS",
         .fallback = "256",
         .help = "of one address; 0: no limit; loopback and trusted proxies have none",
         .assign = assignInteger<&S::http, &S::Http::maxConnectionsPerAddress>,
         .minimum = 0,
         .maximum = 1'000'000},
    Rule{.key = "app.idle_connection_timeout",
         .environment = "AUTH_ERRORS_IDLE_TIMEOUT_SECONDS",
         .fallback = "60",
         .help = "silence after which a connection is closed, in seconds",
         .assign = assignDuration<&S::http, &S::Http::idleTimeout>,
         .minimum = 2,  // trantor's timing wheel ends the process for less
         .maximum = 3600},
    Rule{.key = "app.log.log_level",
         .environment = "AUTH_ERRORS_LOG_LEVEL",
         .fallback = "info",
         .help = "least level that is logged",
         .assign = assignLogLevel,
         .allowed = "debug, info, warn or error"},
    Rule{.key = "custom_config.log_format",
         .environment = "AUTH_ERRORS_LOG_FORMAT",
         .fallback = "auto",
         .help = "auto: text on a terminal, else json",
         .assign = assignLogFormat,
         .allowed = "auto, json or text"},
    Rule{.key = "custom_config.trusted_proxies",
         .environment = "AUTH_ERRORS_TRUSTED_PROXIES",
         .fallback = "",
         .help = "peers whose word on the client's address is taken",
         .assign = assignTrustedProxies,
         .allowed = "a list of networks, such as 10.0.0.0/8, fd00::/8"},
    Rule{.key = "custom_config.forwarded_header",
         .environment = "AUTH_ERRORS_FORWARDED_HEADER",
         .fallback = "x-forwarded-for",
         .help = "the header that the trusted proxies write",
         .assign = assignForwardedHeader,
         .allowed = "x-forwarded-for or forwarded"},
    Rule{.key = "custom_config.max_unfinished_bytes",
         .environment = "AUTH_ERRORS_MAX_UNFINISHED",
         .fallback = "256M",
         .help = "memory for requests that are still arriving; beyond it the largest are ended",
         .assign = assignBytes<&S::http, &S::Http::maxUnfinishedBytes>,
         .minimum = kMebi,
         .maximum = kMebi * kMebi,
         .allowed = "bytes from 1M to 1048576M; K and M are understood"},
    Rule{.key = "custom_config.receive_deadline_ms",
         .environment = "AUTH_ERRORS_RECEIVE_DEADLINE_MS",
         .fallback = "15000",
         .help = "time a client has from a request's first byte to its last",
         .assign = assignDuration<&S::http, &S::Http::receiveDeadline>,
         .minimum = 100,
         .maximum = 600'000},
    Rule{.key = "custom_config.database.url",
         .environment = "DATABASE_URL",
         .fallback = "",
         .help = "the database",
         .assign = assignDatabaseUrl,
         .allowed = "postgresql://user:password@host:port/database",
         .secret = true},
    Rule{.key = "custom_config.database.connect_timeout_ms",
         .environment = "AUTH_ERRORS_DATABASE_CONNECT_TIMEOUT_MS",
         .fallback = "5000",
         .help = "for one attempt to connect",
         .assign = assignDuration<&S::database, &S::Database::connectTimeout>,
         .minimum = 100,
         .maximum = 60'000},
    Rule{.key = "custom_config.database.statement_timeout_ms",
         .environment = "AUTH_ERRORS_DATABASE_STATEMENT_TIMEOUT_MS",
         .fallback = "30000",
         .help = "after which the server itself ends a statement",
         .assign = assignDuration<&S::database, &S::Database::statementTimeout>,
         .minimum = 100,
         .maximum = 600'000},
    Rule{.key = "custom_config.database.queue_limit",
         .environment = "AUTH_ERRORS_DATABASE_QUEUE_LIMIT",
         .fallback = "1024",
         .help = "statements that may wait for a connection, per client",
         .assign = assignInteger<&S::database, &S::Database::queueLimit>,
         .minimum = 1,
         .maximum = 1'000'000},
    Rule{.key = "custom_config.database.request_deadline_ms",
         .environment = "AUTH_ERRORS_REQUEST_DEADLINE_MS",
         .fallback = "5000",
         .help = "after which a request waiting for the database is answered 503",
         .assign = assignDuration<&S::database, &S::Database::requestDeadline>,
         .minimum = 100,
         .maximum = 60'000},
    Rule{.key = "custom_config.database.migrations",
         .environment = "AUTH_ERRORS_MIGRATIONS",
         .fallback = "migrations",
         .help = "folder of the numbered SQL files",
         .assign = assignPath<&S::database, &S::Database::migrations>,
         .allowed = "a folder",
         .path = true},
    Rule{.key = "custom_config.database.migrate_on_serve",
         .environment = "AUTH_ERRORS_MIGRATE_ON_SERVE",
         .fallback = "false",
         .help = "apply pending migrations when serving starts",
         .assign = assignFlag<&S::database, &S::Database::migrateOnServe>,
         .allowed = "true or false"},
    Rule{.key = "custom_config.actors.keys",
         .environment = "AUTH_ERRORS_ACTOR_KEYS",
         .fallback = "",
         .help =
             "keys of the pseudonyms of users, sessions and addresses; none: they are not stored",
         .assign = assignActorKeys,
         .allowed =
             "version:secret, several with commas, such as 2:…,1:…; each version once, from 1 "
             "to 65535, each secret at least 32 characters without a comma",
         .secret = true},
    Rule{.key = "custom_config.actors.store_identifiers",
         .environment = "AUTH_ERRORS_STORE_IDENTIFIERS",
         .fallback = "false",
         .help = "store userId, sessionId and clientIp as they were sent, beside their pseudonyms",
         .assign = assignFlag<&S::actors, &S::Actors::storeIdentifiers>,
         .allowed = "true or false"},
    Rule{.key = "custom_config.rate_limit.per_key",
         .environment = "AUTH_ERRORS_RATE_LIMIT_PER_KEY",
         .fallback = "5000",
         .help = "requests a second of a key without a limit of its own, in bursts of twice as "
                 "many; 0: no limit",
         .assign = assignRate<&S::RateLimit::perKey>,
         .minimum = 0,
         .maximum = security::kMaxRate},
    Rule{.key = "custom_config.rate_limit.per_address",
         .environment = "AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS",
         .fallback = "2000",
         .help = "requests a second of one client address, in bursts of twice as many; 0: no "
                 "limit; loopback has none",
         .assign = assignRate<&S::RateLimit::perAddress>,
         .minimum = 0,
         .maximum = security::kMaxRate},
    Rule{.key = "custom_config.ingest.batch_rows",
         .environment = "AUTH_ERRORS_INGEST_BATCH_ROWS",
         .fallback = "128",
         .help = "errors in one group commit",
         .assign = assignInteger<&S::ingest, &S::Ingest::batchRows>,
         .minimum = 1,
         .maximum = 10'000},
    Rule{.key = "custom_config.ingest.batch_bytes",
         .environment = "AUTH_ERRORS_INGEST_BATCH_BYTES",
         .fallback = "1M",
         .help = "text in one group commit",
         .assign = assignBytes<&S::ingest, &S::Ingest::batchBytes>,
         .minimum = 64 * kKibi,
         .maximum = 256 * kMebi,
         .allowed = "bytes from 64K to 256M; K and M are understood"},
    Rule{.key = "custom_config.ingest.queue_limit",
         .environment = "AUTH_ERRORS_INGEST_QUEUE_LIMIT",
         .fallback = "4096",
         .help = "errors that may wait for a group commit, per IO loop",
         .assign = assignInteger<&S::ingest, &S::Ingest::queueLimit>,
         .minimum = 1,
         .maximum = 1'000'000},
    Rule{.key = "custom_config.ingest.queue_bytes",
         .environment = "AUTH_ERRORS_INGEST_QUEUE_BYTES",
         .fallback = "64M",
         .help = "text that may wait for a group commit, per IO loop",
         .assign = assignBytes<&S::ingest, &S::Ingest::queueBytes>,
         .minimum = kMebi,
         .maximum = 1024 * kMebi,
         .allowed = "bytes from 1M to 1024M; K and M are understood"},
    Rule{.key = "custom_config.reading.max_exports",
         .environment = "AUTH_ERRORS_MAX_EXPORTS",
         .fallback = "4",
         .help = "exports at once; beyond it 429",
         .assign = assignInteger<&S::reading, &S::Reading::maxExports>,
         .minimum = 1,
         .maximum = 1'000},
    Rule{.key = "custom_config.broker.url",
         .environment = "AMQP_URL",
         .fallback = "",
         .help = "the broker",
         .assign = assignBrokerUrl,
         .allowed = "amqp://user:password@host:port/vhost or amqps://…",
         .secret = true},
    Rule{.key = "custom_config.broker.certificate",
         .environment = "AUTH_ERRORS_BROKER_CERTIFICATE",
         .fallback = "",
         .help = "who vouches for an amqps broker, as PEM; none: the system's authorities",
         .assign = assignPath<&S::broker, &S::Broker::certificate>,
         .allowed = "a file",
         .path = true},
    Rule{.key = "custom_config.broker.prefix",
         .environment = "AUTH_ERRORS_BROKER_PREFIX",
         .fallback = "auth-errors",
         .help = "how the names of the exchange and the queues begin",
         .assign = assignBrokerPrefix,
         .allowed = "1 to 64 letters, digits, dots, dashes and underscores"},
    Rule{.key = "custom_config.broker.heartbeat_ms",
         .environment = "AUTH_ERRORS_BROKER_HEARTBEAT_MS",
         .fallback = "10000",
         .help = "a broker that is silent for twice as long is dropped",
         .assign = assignDuration<&S::broker, &S::Broker::heartbeat>,
         .minimum = 1'000,
         .maximum = 600'000},
    Rule{.key = "custom_config.broker.window",
         .environment = "AUTH_ERRORS_BROKER_WINDOW",
         .fallback = "500",
         .help = "messages sent and not yet confirmed, per connection",
         .assign = assignInteger<&S::broker, &S::Broker::window>,
         .minimum = 1,
         .maximum = 10'000},
    Rule{.key = "custom_config.outbox.batch_rows",
         .environment = "AUTH_ERRORS_OUTBOX_BATCH_ROWS",
         .fallback = "200",
         .help = "messages in one claim",
         .assign = assignInteger<&S::outbox, &S::Outbox::batchRows>,
         .minimum = 1,
         .maximum = 5'000},
    Rule{.key = "custom_config.outbox.lanes",
         .environment = "AUTH_ERRORS_OUTBOX_LANES",
         .fallback = "2",
         .help = "claims that are worked on side by side",
         .assign = assignInteger<&S::outbox, &S::Outbox::lanes>,
         .minimum = 1,
         .maximum = 16},
    Rule{.key = "custom_config.outbox.poll_interval_ms",
         .environment = "AUTH_ERRORS_OUTBOX_POLL_INTERVAL_MS",
         .fallback = "500",
         .help = "how often due messages are looked for when nothing says so",
         .assign = assignDuration<&S::outbox, &S::Outbox::pollInterval>,
         .minimum = 10,
         .maximum = 60'000},
    Rule{.key = "custom_config.outbox.claim_timeout_ms",
         .environment = "AUTH_ERRORS_OUTBOX_CLAIM_TIMEOUT_MS",
         .fallback = "60000",
         .help = "after which a claim that nobody ended is taken back",
         .assign = assignDuration<&S::outbox, &S::Outbox::claimTimeout>,
         .minimum = 1'000,
         .maximum = 3'600'000},
    Rule{.key = "custom_config.outbox.reap_interval_ms",
         .environment = "AUTH_ERRORS_OUTBOX_REAP_INTERVAL_MS",
         .fallback = "5000",
         .help = "how often such claims are looked for",
         .assign = assignDuration<&S::outbox, &S::Outbox::reapInterval>,
         .minimum = 100,
         .maximum = 600'000},
    Rule{.key = "custom_config.outbox.sweep_interval_ms",
         .environment = "AUTH_ERRORS_OUTBOX_SWEEP_INTERVAL_MS",
         .fallback = "30000",
         .help = "how often messages that the broker lost are looked for",
         .assign = assignDuration<&S::outbox, &S::Outbox::sweepInterval>,
         .minimum = 100,
         .maximum = 3'600'000},
    Rule{.key = "custom_config.consumer.prefetch",
         .environment = "AUTH_ERRORS_CONSUMER_PREFETCH",
         .fallback = "256",
         .help = "messages in hand that are not acknowledged",
         .assign = assignInteger<&S::consumer, &S::Consumer::prefetch>,
         .minimum = 1,
         .maximum = 10'000},
    Rule{.key = "custom_config.consumer.batch_rows",
         .environment = "AUTH_ERRORS_CONSUMER_BATCH_ROWS",
         .fallback = "128",
         .help = "messages in one transaction",
         .assign = assignInteger<&S::consumer, &S::Consumer::batchRows>,
         .minimum = 1,
         .maximum = 5'000},
    Rule{.key = "custom_config.consumer.lease_ms",
         .environment = "AUTH_ERRORS_CONSUMER_LEASE_MS",
         .fallback = "60000",
         .help = "how long a message stays one consumer's without a sign of life",
         .assign = assignDuration<&S::consumer, &S::Consumer::lease>,
         .minimum = 500,
         .maximum = 3'600'000},
    Rule{.key = "custom_config.jobs.chunk_rows",
         .environment = "AUTH_ERRORS_JOBS_CHUNK_ROWS",
         .fallback = "40",
         .help = "errors of a cluster that a job looks at in one transaction",
         .assign = assignInteger<&S::jobs, &S::Jobs::chunkRows>,
         .minimum = 1,
         .maximum = 10'000},
    Rule{.key = "custom_config.jobs.lease_ms",
         .environment = "AUTH_ERRORS_JOBS_LEASE_MS",
         .fallback = "30000",
         .help = "how long a job stays one instance's without a sign of life",
         .assign = assignDuration<&S::jobs, &S::Jobs::lease>,
         .minimum = 500,
         .maximum = 3'600'000},
    Rule{.key = "custom_config.rules.interval_ms",
         .environment = "AUTH_ERRORS_RULES_INTERVAL_MS",
         .fallback = "5000",
         .help = "how often rules with an age look for errors that have waited so long",
         .assign = assignDuration<&S::rules, &S::Rules::interval>,
         .minimum = 100,
         .maximum = 600'000},
    Rule{.key = "custom_config.retry.delays_ms",
         .environment = "AUTH_ERRORS_RETRY_DELAYS_MS",
         .fallback = "10000,60000,600000",
         .help = "waits before the first, the second and all further retries; each has a queue",
         .assign = assignRetryDelays,
         .minimum = 10,
         .maximum = 86'400'000,
         .allowed = "three rising numbers of milliseconds, such as 10000,60000,600000"},
    Rule{.key = "custom_config.shutdown_deadline_ms",
         .environment = "AUTH_ERRORS_SHUTDOWN_DEADLINE_MS",
         .fallback = "15000",
         .help = "time for requests and batches to finish after SIGTERM",
         .assign = assignShutdownDeadline,
         .minimum = 100,
         .maximum = 600'000},
    Rule{.key = "custom_config.roles",
         .environment = "AUTH_ERRORS_ROLES",
         .fallback = "api,outbox,consumer,ops",
         .help = "what this instance does",
         .assign = assignRoles,
         .allowed = "a list of api, outbox, consumer, ops"},
};

std::string allowedText(const Rule& rule) {
  return rule.allowed.empty() ? std::format("an integer from {} to {}", rule.minimum, rule.maximum)
                              : std::string(rule.allowed);
}

const Rule* ruleOf(std::string_view key) {
  const auto* const found = std::ranges::find(kRules, key, &Rule::key);
  return found == kRules.end() ? nullptr : found;
}

std::string shown(std::string_view value) {
  return value.size() <= kMaxShownValue ? std::string(value)
                                        : std::string(value.substr(0, kMaxShownValue)) + "…";
}

std::expected<std::string, std::string> readFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    return std::unexpected("a readable file");
  }
  std::string text;
  text.resize(kMaxFileBytes + 1);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) {
    return std::unexpected("a file of at most 1 MiB");
  }
  return text;
}

// A value's way from its source to the struct; collects what is wrong on the way.
class Loader {
 public:
  explicit Loader(const SettingSources& sources) : sources_(sources) {}

  std::expected<LoadedSettings, std::vector<SettingProblem>> load() {
    if (sources_.file) {
      readConfigFile(*sources_.file);
    }
    for (const Rule& rule : kRules) {
      loadOne(rule);
    }
    checkTogether();
    if (!problems_.empty()) {
      return std::unexpected(std::move(problems_));
    }
    if (settings_.http.threads == 0) {
      settings_.http.threads = std::max(1U, std::thread::hardware_concurrency());
    }
    return LoadedSettings{.settings = std::move(settings_), .lines = std::move(lines_)};
  }

 private:
  struct Given {
    std::string value;
    std::string source;
    std::string name;  // key or variable, for problems
    std::filesystem::path folder;
  };

  void problem(std::string_view key, std::string_view value, std::string_view allowed) {
    problems_.push_back(
        {.key = std::string(key), .value = shown(value), .allowed = std::string(allowed)});
  }

  void readConfigFile(const std::filesystem::path& path) {
    const auto text = readFile(path);
    if (!text) {
      problem("--config", path.string(), text.error());
      return;
    }
    Json::CharReaderBuilder builder;
    builder["rejectDupKeys"] = true;
    builder["failIfExtra"] = true;
    builder["stackLimit"] = 32;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value root;
    std::string fault;
    try {
      if (!reader->parse(text->data(), text->data() + text->size(), &root, &fault) ||
          !root.isObject()) {
        // The parser's own words quote keys and positions, no values.
        std::ranges::replace(fault, '\n', ' ');
        problem(path.string(), "", "one JSON object" + (fault.empty() ? "" : ": " + fault));
        return;
      }
    } catch (const Json::Exception&) {
      problem(path.string(), "", "JSON that is not nested too deeply");
      return;
    }
    flatten("", root);
  }

  void flatten(const std::string& prefix, const Json::Value& value) {
    if (const Rule* rule = ruleOf(prefix); rule != nullptr) {
      takeFromFile(*rule, value);
      return;
    }
    if (value.isObject() && (prefix.empty() || leadsToARule(prefix))) {
      for (const std::string& name : value.getMemberNames()) {
        flatten(prefix.empty() ? name : prefix + "." + name, value[name]);
      }
      return;
    }
    if (value.isArray() && prefix == "listeners") {
      for (Json::ArrayIndex i = 0; i < value.size(); ++i) {
        flatten(std::format("{}.{}", prefix, i), value[i]);
      }
      return;
    }
    problem(prefix, "", leadsToARule(prefix) ? "an object" : "no such key; see serve --help");
  }

  static bool leadsToARule(const std::string& prefix) {
    return std::ranges::any_of(
        kRules, [&](const Rule& rule) { return rule.key.starts_with(prefix + "."); });
  }

  void takeFromFile(const Rule& rule, const Json::Value& value) {
    if (rule.secret) {
      problem(rule.key, "",
              std::format("no secrets in the file: set {0}, or {0}_FILE to a file that holds it",
                          rule.environment));
      return;
    }
    std::string text;
    if (value.isArray()) {
      for (const Json::Value& item : value) {
        if (!item.isString()) {
          problem(rule.key, "", allowedText(rule));
          return;
        }
        text.append(text.empty() ? "" : ",").append(item.asString());
      }
    } else if (value.isObject() || value.isNull()) {
      problem(rule.key, "", allowedText(rule));
      return;
    } else {
      text = value.asString();
    }
    fromFile_[rule.key] = std::move(text);
  }

  std::optional<Given> givenSecret(const Rule& rule) {
    const std::string name(rule.environment);
    const std::string fileVariable = name + "_FILE";
    const auto direct = sources_.environment(name);
    const auto path = sources_.environment(fileVariable);
    if (direct && path) {
      problem(fileVariable, *path, "only one of " + name + " and " + fileVariable);
      return std::nullopt;
    }
    if (direct) {
      return Given{.value = *direct, .source = "environment", .name = name, .folder = {}};
    }
    if (!path) {
      return std::nullopt;
    }
    auto text = readFile(*path);
    if (!text) {
      problem(fileVariable, *path, text.error());
      return std::nullopt;
    }
    while (text->ends_with('\n') || text->ends_with('\r')) {
      text->pop_back();
    }
    return Given{
        .value = *std::move(text), .source = "file " + *path, .name = fileVariable, .folder = {}};
  }

  std::optional<Given> given(const Rule& rule) {
    if (rule.secret) {
      return givenSecret(rule);
    }
    if (rule.key == "custom_config.roles" && sources_.roles) {
      return Given{
          .value = *sources_.roles, .source = "command line", .name = "--roles", .folder = {}};
    }
    if (const auto value = sources_.environment(rule.environment)) {
      return Given{.value = *value,
                   .source = "environment",
                   .name = std::string(rule.environment),
                   .folder = {}};
    }
    if (const auto found = fromFile_.find(rule.key); sources_.file && found != fromFile_.end()) {
      return Given{.value = found->second,
                   .source = sources_.file->string(),
                   .name = std::string(rule.key),
                   .folder = sources_.file->parent_path()};
    }
    return std::nullopt;
  }

  void loadOne(const Rule& rule) {
    // Relative paths, the default ones too, are meant beside the file; in the environment, from
    // where the service was started.
    auto value = given(rule).value_or(
        Given{.value = std::string(rule.fallback),
              .source = "default",
              .name = std::string(rule.environment),
              .folder = sources_.file ? sources_.file->parent_path() : std::filesystem::path{}});
    if (rule.path && !value.value.empty()) {
      value.value = (value.folder / value.value).string();
    }
    const bool missingSecret = rule.secret && value.value.empty();
    if (!missingSecret && !rule.assign(rule, settings_, value.value)) {
      problem(value.name, rule.secret ? "" : value.value, allowedText(rule));
    }
    std::string display = value.value;
    if (rule.secret) {
      display = value.value.empty() ? "(not set)" : "(set)";
    }
    lines_.push_back({.key = rule.key,
                      .environment = rule.environment,
                      .value = std::move(display),
                      .source = value.source});
  }

  void checkTogether() {
    const auto alreadyNamed = [&](std::string_view name) {
      return std::ranges::any_of(
          problems_, [&](const SettingProblem& known) { return known.key.starts_with(name); });
    };
    if (settings_.database.url.empty() && !alreadyNamed("DATABASE_URL")) {
      problem("DATABASE_URL", "",
              "must be set: " + allowedText(*ruleOf("custom_config.database.url")));
    }
    if (sources_.forServing && settings_.broker.url.empty() && needsBroker(settings_.roles) &&
        !alreadyNamed("AMQP_URL")) {
      problem("AMQP_URL", "",
              "must be set for the roles outbox, consumer and ops: " +
                  allowedText(*ruleOf("custom_config.broker.url")));
    }
    std::error_code ignored;
    if (!settings_.broker.certificate.empty() &&
        !std::filesystem::is_regular_file(settings_.broker.certificate, ignored)) {
      problem("AUTH_ERRORS_BROKER_CERTIFICATE", settings_.broker.certificate.string(),
              "a file that is there");
    }
    if (!std::filesystem::is_directory(settings_.database.migrations, ignored)) {
      problem("AUTH_ERRORS_MIGRATIONS", settings_.database.migrations.string(),
              "a folder that is there");
    }
    const auto& http = settings_.http;
    if (http.tlsCertificate.empty() != http.tlsKey.empty()) {
      problem(http.tlsKey.empty() ? "AUTH_ERRORS_TLS_KEY" : "AUTH_ERRORS_TLS_CERTIFICATE", "",
              "certificate and key: both or neither");
    } else if (!http.tlsCertificate.empty()) {
      for (const TlsFileProblem& fault : checkTlsFiles(http.tlsCertificate, http.tlsKey)) {
        problem(fault.ofKey ? "AUTH_ERRORS_TLS_KEY" : "AUTH_ERRORS_TLS_CERTIFICATE",
                fault.path.string(), fault.allowed);
      }
    }
    const std::size_t largestBody = std::max(http.maxBodyBytes, http.maxBatchBodyBytes);
    if (http.maxUnfinishedBytes != 0 && http.maxUnfinishedBytes < 2 * largestBody) {
      problem("AUTH_ERRORS_MAX_UNFINISHED", std::to_string(http.maxUnfinishedBytes),
              std::format("at least twice the {} bytes of the largest body", largestBody));
    }
    if (settings_.ingest.batchRows > settings_.ingest.queueLimit &&
        !alreadyNamed("AUTH_ERRORS_INGEST")) {
      problem("AUTH_ERRORS_INGEST_QUEUE_LIMIT", std::to_string(settings_.ingest.queueLimit),
              std::format("at least the {} rows of one batch", settings_.ingest.batchRows));
    }
  }

  const SettingSources& sources_;
  std::map<std::string_view, std::string> fromFile_;
  Settings settings_;
  std::vector<SettingLine> lines_;
  std::vector<SettingProblem> problems_;
};

}  // namespace

bool needsBroker(const std::set<Role>& roles) {
  return std::ranges::any_of(roles, [](Role role) { return role != Role::api; });
}

std::string toText(const SettingProblem& problem) {
  return problem.value.empty()
             ? std::format("{}: {}", problem.key, problem.allowed)
             : std::format("{} is \"{}\": {}", problem.key, problem.value, problem.allowed);
}

std::optional<std::string> processEnvironment(std::string_view name) {
  // Settings are read by the main thread before any other exists.
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::expected<LoadedSettings, std::vector<SettingProblem>> loadSettings(
    const SettingSources& sources) {
  return Loader(sources).load();
}

std::string settingsHelp() {
  std::string text = "Settings, by environment variable and by key of config.json:\n";
  for (const Rule& rule : kRules) {
    std::format_to(std::back_inserter(text), "  {}\n      {}\n      {}; {}", rule.environment,
                   rule.secret ? std::format("or {}_FILE; never in the file", rule.environment)
                               : std::string(rule.key),
                   rule.help, allowedText(rule));
    text += rule.fallback.empty() ? "\n" : std::format("; default {}\n", rule.fallback);
  }
  return text;
}

}  // namespace auth_errors::app
