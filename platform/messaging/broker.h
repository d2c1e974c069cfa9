// Connection parameters of the broker, and the state of a connection to it. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace auth_errors::messaging {

struct BrokerOptions {
  std::string url;                    // amqp:// or amqps://user:password@host:port,host:port/vhost
  std::filesystem::path certificate;  // amqps: CA certificates for the broker; empty: the system's
  std::string connectionName = "auth-errors";       // shown in the broker's management tools
  std::chrono::milliseconds connectTimeout{5'000};  // until the topology is declared
  std::chrono::milliseconds reconnectDelayMin{200};
  std::chrono::milliseconds reconnectDelayMax{5'000};
  std::chrono::milliseconds heartbeat{10'000};  // dropped after two missed ones
};

enum class BrokerState : std::uint8_t {
  connecting,  // also while waiting to retry
  mismatch,    // the broker has a queue or exchange of the same name with other properties
  blocked,     // connected, but the broker accepts no messages for lack of memory or disk
  ready,
  closed,
};

// "connecting", "mismatch", …: for readiness, logs and metrics.
std::string_view toText(BrokerState state);

// Throws std::invalid_argument on an invalid URL, without quoting it.
void checkBrokerUrl(std::string_view url);

}  // namespace auth_errors::messaging
