#include "triage/rules/rule_delta_flusher.h"

#include "triage/rules/rule_deltas.h"

namespace auth_errors::rules {

RuleDeltaFlusher::RuleDeltaFlusher(database::Client& client, Options options)
    : Worker(client.loop(), {.faultEvent = "rules.flusher_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(options) {}

drogon::Task<std::size_t> RuleDeltaFlusher::runOnce() {
  std::size_t flushed = 0;
  std::size_t chunk = 0;
  do {
    chunk = co_await flushDeltas(client_, options_.chunk,
                                 std::chrono::steady_clock::now() + options_.deadline);
    flushed += chunk;
  } while (!stopping() && chunk == static_cast<std::size_t>(options_.chunk));
  co_return flushed;
}

}  // namespace auth_errors::rules
