#include "outbox/sweeper.h"

#include <utility>

#include "platform/telemetry/log.h"

namespace auth_errors::outbox {

Sweeper::Sweeper(database::Client& client, messaging::Publisher& publisher, Options options,
                 Metrics& metrics)
    : Worker(client.loop(), {.faultEvent = "outbox.sweeper_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      publisher_(publisher),
      options_(std::move(options)),
      metrics_(metrics) {}

drogon::Task<SweepCounts> Sweeper::runOnce() {
  SweepCounts swept;
  const auto end = [this] { return std::chrono::steady_clock::now() + options_.deadline; };
  const auto depth = co_await publisher_.depth(options_.workQueue, end());
  if (!depth) {
    co_return swept;
  }
  const Backlog backlog = *depth > options_.longestBacklog ? Backlog::yes : Backlog::no;
  SweepCounts chunk;
  do {
    chunk = co_await sweepLost(client_, options_.grace, backlog, options_.chunk, end());
    swept.looked += chunk.looked;
    swept.missing += chunk.missing;
    swept.stranded += chunk.stranded;
  } while (!stopping() && (chunk.looked >= static_cast<std::size_t>(options_.chunk) ||
                           chunk.stranded == static_cast<std::size_t>(options_.chunk)));
  if (swept.missing + swept.stranded > 0) {
    metrics_.swept.add(swept.missing + swept.stranded);
    telemetry::log(telemetry::LogLevel::warn, "outbox.published_again",
                   {{"missing", swept.missing}, {"stranded", swept.stranded}});
    options_.onSwept();
  }
  co_return swept;
}

}  // namespace auth_errors::outbox
