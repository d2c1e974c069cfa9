#include "app/broker_health.h"

#include <algorithm>
#include <format>
#include <utility>

namespace auth_errors::app {
namespace {

// A mismatch needs an operator, so it is reported first.
int badness(messaging::BrokerState state) {
  switch (state) {
    case messaging::BrokerState::mismatch:
      return 4;
    case messaging::BrokerState::connecting:
      return 3;
    case messaging::BrokerState::blocked:
      return 2;
    case messaging::BrokerState::closed:
      return 1;
    case messaging::BrokerState::ready:
      return 0;
  }
  std::unreachable();
}

}  // namespace

void BrokerHealth::report(BrokerConnection connection, messaging::BrokerState state,
                          std::string problem) {
  metrics_.ready[connection].set(state == messaging::BrokerState::ready ? 1 : 0);
  const std::scoped_lock lock(mutex_);
  connections_.at(std::to_underlying(connection)) =
      Connection{.state = state, .problem = std::move(problem)};
}

void BrokerHealth::reportParked(std::uint32_t messages, const messaging::QueueName& queue) {
  metrics_.parkedMessages.set(messages);
  const std::scoped_lock lock(mutex_);
  parkedProblem_ =
      messages == 0
          ? ""
          : std::format("{} messages of another installation are parked in {}", messages, queue);
}

BrokerHealth::Summary BrokerHealth::summary() const {
  const std::scoped_lock lock(mutex_);
  const Connection* worst = nullptr;
  for (const auto& connection : connections_) {
    if (connection && (worst == nullptr || badness(connection->state) > badness(worst->state))) {
      worst = &*connection;
    }
  }
  if (worst == nullptr) {
    return needed_
               ? Summary{.state = "pending", .problem = "not connected until the schema is current"}
               : Summary{.state = "disabled", .problem = {}};
  }
  if (worst->state == messaging::BrokerState::ready && !parkedProblem_.empty()) {
    return {.state = std::string(messaging::toText(messaging::BrokerState::mismatch)),
            .problem = parkedProblem_};
  }
  return {.state = worst->state == messaging::BrokerState::ready
                       ? "connected"
                       : std::string(messaging::toText(worst->state)),
          .problem = worst->problem};
}

}  // namespace auth_errors::app
