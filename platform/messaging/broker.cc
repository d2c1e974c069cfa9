#include "platform/messaging/broker.h"

#include <array>
#include <utility>

#include "platform/messaging/broker_url.h"

namespace auth_errors::messaging {

std::string_view toText(BrokerState state) {
  static constexpr std::array<std::string_view, 5> kTexts{"connecting", "mismatch", "blocked",
                                                          "ready", "closed"};
  return kTexts.at(std::to_underlying(state));
}

void checkBrokerUrl(std::string_view url) { parseBrokerUrl(url); }

}  // namespace auth_errors::messaging
