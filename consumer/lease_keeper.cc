#include "consumer/lease_keeper.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/telemetry/log.h"

namespace auth_errors::consumer {
namespace {

drogon::Task<> renew(BatchContext& context, LeaseOwner owner,
                     std::vector<domain::OutboxId> leased) {
  try {
    co_await renewLeases(context.client, std::move(owner), std::move(leased), context.lease,
                         context.soon());
  } catch (const std::exception& error) {
    telemetry::log(telemetry::LogLevel::warn, "consumer.leases_not_renewed",
                   {{"error", error.what()}});
  }
}

}  // namespace

LeaseKeeper::LeaseKeeper(BatchContext& context, const EventBatch& batch)
    : loop_(context.client.loop()),
      timer_(loop_.runEvery(std::chrono::duration<double>(context.lease).count() / 3,
                            [&context, owner = batch.owner, leased = batch.leased] {
                              drogon::async_run([&context, owner, leased] {
                                return renew(context, owner, leased);
                              });
                            })) {}

LeaseKeeper::~LeaseKeeper() { loop_.invalidateTimer(timer_); }

}  // namespace auth_errors::consumer
