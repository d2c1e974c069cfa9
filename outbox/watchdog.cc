#include "outbox/watchdog.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "domain/errors/auth_error_status.h"
#include "domain/values/instant.h"
#include "platform/telemetry/log.h"

namespace auth_errors::outbox {
namespace {

using domain::AuthErrorStatus;

constexpr std::array kWaitingStatuses = {AuthErrorStatus::fresh, AuthErrorStatus::retry,
                                         AuthErrorStatus::analysisRequested};

// By the index on what waits, the oldest first: the cost is that of what is stuck.
const database::Statement kCountStuck{.name = "count_stuck_errors", .sql = R"(SELECT status,
  count(*), (array_agg(id ORDER BY status_changed_at, id))[1], min(status_changed_at)
FROM (
  SELECT id, status, status_changed_at FROM auth_error
  WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED')
    AND status_changed_at < now() - $1 * interval '1 millisecond'
  ORDER BY status_changed_at
  LIMIT $2) stuck
GROUP BY status)"};

}  // namespace

Watchdog::Watchdog(database::Client& client, Options options, telemetry::Metrics& metrics)
    : client_(client),
      options_(options),
      metrics_(metrics),
      job_(client.loop(), "errors.watchdog_failed", options_.interval,
           [this]() -> drogon::Task<> { co_await runOnce(); }) {}

drogon::Task<std::size_t> Watchdog::runOnce() {
  database::Parameters parameters;
  parameters.add(static_cast<double>(options_.stuckAfter.count())).add(options_.countAtMost);
  const database::Result result = co_await client_.run(
      kCountStuck, std::move(parameters), std::chrono::steady_clock::now() + options_.deadline);
  std::size_t stuck = 0;
  std::int64_t oldest = 0;
  std::optional<domain::Instant> since;
  std::array<double, kWaitingStatuses.size()> counts{};
  for (std::size_t row = 0; row < result.rows(); ++row) {
    const auto status = result.value<std::string>(row, 0);
    const auto count = static_cast<std::size_t>(result.value<std::int64_t>(row, 1));
    const auto changedAt = result.value<database::Timestamp>(row, 3);
    stuck += count;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (domain::toText(kWaitingStatuses.at(i)) == status) {
        counts.at(i) = static_cast<double>(count);
      }
    }
    if (!since || changedAt < *since) {
      since = changedAt;
      oldest = result.value<std::int64_t>(row, 2);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    metrics_.stuckErrors(domain::toText(kWaitingStatuses.at(i))).Set(counts.at(i));
  }
  if (std::exchange(lastSeen_, stuck) != stuck) {
    if (stuck > 0) {
      telemetry::log(telemetry::LogLevel::warn, "errors.stuck",
                     {{"errors", stuck},
                      {"oldestId", oldest},
                      {"oldestSince", domain::formatInstant(*since)}});
    } else {
      telemetry::log(telemetry::LogLevel::info, "errors.none_stuck");
    }
  }
  co_return stuck;
}

}  // namespace auth_errors::outbox
