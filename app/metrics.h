// All metrics of an instance: those declared by its parts, and those counted by app itself. Usable
// from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "consumer/metrics.h"
#include "controllers/http/memory_budget.h"
#include "controllers/http/metrics.h"
#include "domain/values/names.h"
#include "outbox/metrics.h"
#include "platform/telemetry/metric.h"
#include "platform/telemetry/process_metrics.h"
#include "triage/clusters/metrics.h"
#include "triage/jobs/metrics.h"
#include "triage/rules/metrics.h"

namespace auth_errors::app {

enum class ConnectionEnd : std::uint8_t {
  unfinishedRequest,
  unfinishedHandshake,
  unread,
  memoryBudget,
  tooMany
};
constexpr auto namesOf(ConnectionEnd /*any*/) {
  return domain::nameTable<ConnectionEnd>(
      {{ConnectionEnd::unfinishedRequest, "unfinished_request"},
       {ConnectionEnd::unfinishedHandshake, "unfinished_handshake"},
       {ConnectionEnd::unread, "unread"},
       {ConnectionEnd::memoryBudget, "memory_budget"},
       {ConnectionEnd::tooMany, "too_many"}});
}

enum class BrokerConnection : std::uint8_t { relay, work, copies, deadLetters, parking };
constexpr auto namesOf(BrokerConnection /*any*/) {
  return domain::nameTable<BrokerConnection>({{BrokerConnection::relay, "relay"},
                                              {BrokerConnection::work, "work"},
                                              {BrokerConnection::copies, "copies"},
                                              {BrokerConnection::deadLetters, "dead_letters"},
                                              {BrokerConnection::parking, "parking"}});
}

// The I/O loops share one name.
enum class LoopName : std::uint8_t { main, io, relay, consumer, ops };
constexpr auto namesOf(LoopName /*any*/) {
  return domain::nameTable<LoopName>({{LoopName::main, "main"},
                                      {LoopName::io, "io"},
                                      {LoopName::relay, "relay"},
                                      {LoopName::consumer, "consumer"},
                                      {LoopName::ops, "ops"}});
}

struct ConnectionMetrics {
  telemetry::Registry& registry;

  telemetry::Gauge open{registry, "auth_errors_http_connections", "Open client connections."};
  telemetry::CounterBy<ConnectionEnd> closed{
      registry, "auth_errors_http_connections_closed_total", "reason",
      "Client connections closed by the service for exceeding a limit."};
  telemetry::Gauge paused{
      registry, "auth_errors_http_connections_paused",
      "Client connections not being read from because of pending requests or unsent responses."};
  telemetry::GaugeBy<controllers::Held> heldBytes{
      registry, "auth_errors_http_held_bytes", "kind",
      "Memory held for clients: received parts of unfinished requests, requests being served, "
      "responses queued behind others, unsent responses."};
};

struct BrokerMetrics {
  telemetry::Registry& registry;

  telemetry::GaugeBy<BrokerConnection> ready{
      registry, "auth_errors_broker_connection_ready", "connection",
      "1 if the connection to the broker is ready.", telemetry::Shown::onceUsed};
  telemetry::Gauge parkedMessages{
      registry, "auth_errors_parked_messages",
      "Parked messages of other installations, reported by the role consumer."};
};

struct DatabaseMetrics {
  telemetry::Registry& registry;

  telemetry::Gauge connections{registry, "auth_errors_database_connections",
                               "Ready database connections."};
  telemetry::Counter reconnects{registry, "auth_errors_database_reconnects_total",
                                "Database connections re-established after a loss."};
};

struct Metrics {
  Metrics(telemetry::CodeText version, telemetry::CodeText drogon)
      : process(registry, version, drogon) {}

  telemetry::Registry registry;
  telemetry::ProcessMetrics process;
  controllers::Metrics controllers{registry};
  outbox::Metrics outbox{registry};
  consumer::Metrics consumer{registry};
  clusters::Metrics clusters{registry};
  jobs::Metrics jobs{registry};
  rules::Metrics rules{registry};
  ConnectionMetrics connections{registry};
  BrokerMetrics broker{registry};
  DatabaseMetrics database{registry};
  telemetry::HistogramBy<LoopName> loopLag{
      registry,
      "auth_errors_loop_lag_seconds",
      "loop",
      "Delay of due timers on event loops; calls that block a loop show up here.",
      telemetry::kSecondsBuckets,
      telemetry::Shown::onceUsed};
};

}  // namespace auth_errors::app
