#include "outbox/reaper.h"

#include <utility>

#include "outbox/outbox_store.h"
#include "platform/telemetry/log.h"

namespace auth_errors::outbox {

Reaper::Reaper(database::Client& client, Options options, Metrics& metrics)
    : Worker(client.loop(), {.faultEvent = "outbox.reaper_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(std::move(options)),
      metrics_(metrics) {}

drogon::Task<std::size_t> Reaper::runOnce() {
  std::size_t reaped = 0;
  std::size_t chunk = 0;
  do {
    chunk = co_await reapClaims(client_, options_.claimTimeout, options_.chunk,
                                std::chrono::steady_clock::now() + options_.deadline);
    reaped += chunk;
  } while (!stopping() && chunk == static_cast<std::size_t>(options_.chunk));
  if (reaped > 0) {
    metrics_.reaped.add(reaped);
    telemetry::log(telemetry::LogLevel::warn, "outbox.claims_reaped", {{"messages", reaped}});
    options_.onReaped();
  }
  co_return reaped;
}

}  // namespace auth_errors::outbox
