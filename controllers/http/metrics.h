// The metrics of HTTP and the controllers. Usable from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "controllers/http/problem.h"
#include "domain/scrub/kinds.h"
#include "domain/values/names.h"
#include "platform/telemetry/metric.h"

namespace auth_errors::controllers {

enum class StatusClass : std::uint8_t {
  informational,
  success,
  redirection,
  clientError,
  serverError
};
constexpr auto namesOf(StatusClass /*any*/) {
  return domain::nameTable<StatusClass>({{StatusClass::informational, "1xx"},
                                         {StatusClass::success, "2xx"},
                                         {StatusClass::redirection, "3xx"},
                                         {StatusClass::clientError, "4xx"},
                                         {StatusClass::serverError, "5xx"}});
}

enum class ExportEnd : std::uint8_t { completed, clientGone, clientTooSlow, failed, draining };
constexpr auto namesOf(ExportEnd /*any*/) {
  return domain::nameTable<ExportEnd>({{ExportEnd::completed, "completed"},
                                       {ExportEnd::clientGone, "client_gone"},
                                       {ExportEnd::clientTooSlow, "client_too_slow"},
                                       {ExportEnd::failed, "failed"},
                                       {ExportEnd::draining, "draining"}});
}

struct Metrics {
  telemetry::Registry& registry;

  telemetry::CounterBy<telemetry::CodeText, StatusClass> requests{
      registry, "auth_errors_http_requests_total", "route", "status",
      "Completed requests by route pattern and status class."};
  telemetry::HistogramBy<telemetry::CodeText> requestSeconds{
      registry, "auth_errors_http_request_seconds", "route",
      "Time from a parsed request to its response.", telemetry::kSecondsBuckets};
  telemetry::Gauge requestsInFlight{registry, "auth_errors_http_requests_in_flight",
                                    "Requests being served."};
  telemetry::CounterBy<RejectReason, telemetry::RuntimeName> rejections{
      registry, "auth_errors_rejections_total", "reason", "key",
      "Refused requests by reason and name of the key; none: without a valid key."};
  telemetry::Counter unknownFields{registry, "auth_errors_ingest_unknown_fields_total",
                                   "Unknown fields of submitted errors."};
  telemetry::CounterBy<domain::RedactionKind> redactions{
      registry, "auth_errors_ingest_redactions_total", "kind",
      "Secrets and personal data redacted from accepted errors."};
  telemetry::CounterBy<ExportEnd> exports{
      registry, "auth_errors_exports_total", "end",
      "Exports by how they ended: completed, or aborted for one of several reasons."};
  telemetry::Counter exportedErrors{registry, "auth_errors_exported_errors_total",
                                    "Errors sent to clients by exports."};
};

// The series of one route, looked up once, when the route is set up.
class RouteMetrics {
 public:
  RouteMetrics(Metrics& metrics, telemetry::CodeText route);

  void answered(int status, std::chrono::duration<double> time) const;

 private:
  std::array<telemetry::Counter, 5> byStatusClass_;
  telemetry::Histogram seconds_;
};

}  // namespace auth_errors::controllers
