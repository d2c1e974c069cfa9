#include "outbox/watchdog.h"

#include <array>
#include <optional>
#include <utility>

#include "domain/errors/auth_error_status.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/telemetry/log.h"

namespace auth_errors::outbox {
namespace {

using domain::AuthErrorStatus;

constexpr std::array kWaitingStatuses = {AuthErrorStatus::fresh, AuthErrorStatus::retry,
                                         AuthErrorStatus::analysisRequested};

// Uses the index on waiting errors, oldest first: the cost is proportional to the stuck ones.
const database::Statement kCountStuck{.name = "count_stuck_errors", .sql = R"(SELECT status,
  count(*), (array_agg(id ORDER BY status_changed_at, id))[1], min(status_changed_at)
FROM (
  SELECT id, status, status_changed_at FROM auth_error
  WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED')
    AND status_changed_at < now() - $1::interval
  ORDER BY status_changed_at
  LIMIT $2) stuck
GROUP BY status)"};

struct StuckStatus {
  AuthErrorStatus status{};
  std::int64_t errors = 0;
  domain::ErrorId oldestId;
  domain::Instant oldestSince;
};

}  // namespace

Watchdog::Watchdog(database::Client& client, Options options, Metrics& metrics)
    : Worker(client.loop(), {.faultEvent = "errors.watchdog_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(options),
      metrics_(metrics) {}

drogon::Task<std::size_t> Watchdog::runOnce() {
  const database::Result result =
      co_await client_.run(kCountStuck, std::chrono::steady_clock::now() + options_.deadline,
                           options_.stuckAfter, options_.countAtMost);
  std::size_t stuck = 0;
  domain::ErrorId oldest;
  std::optional<domain::Instant> since;
  std::array<double, kWaitingStatuses.size()> counts{};
  for (const StuckStatus& row : result.as<StuckStatus>()) {
    stuck += static_cast<std::size_t>(row.errors);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (kWaitingStatuses.at(i) == row.status) {
        counts.at(i) = static_cast<double>(row.errors);
      }
    }
    if (!since || row.oldestSince < *since) {
      since = row.oldestSince;
      oldest = row.oldestId;
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    metrics_.stuckErrors[kWaitingStatuses.at(i)].set(counts.at(i));
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
