// How to reach the broker, and how a connection to it stands. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace auth_errors::messaging {

struct BrokerOptions {
  std::string url;                    // amqp:// or amqps://user:password@host:port,host:port/vhost
  std::filesystem::path certificate;  // amqps: who may vouch for the broker; empty: the system's
  std::string connectionName = "auth-errors";       // as the broker shows it
  std::chrono::milliseconds connectTimeout{5'000};  // until the topology is declared
  std::chrono::milliseconds reconnectDelayMin{200};
  std::chrono::milliseconds reconnectDelayMax{5'000};
  std::chrono::milliseconds heartbeat{10'000};  // dropped after two silent ones
};

enum class BrokerState : std::uint8_t {
  connecting,  // also while it waits to try again
  mismatch,    // the broker holds a queue or exchange of our name with other properties
  blocked,     // connected, but the broker takes nothing for lack of memory or disk
  ready,
  closed,
};

// "connecting", "mismatch", …: for readiness, logs and metrics.
std::string_view toText(BrokerState state);

// Throws std::invalid_argument, without quoting it, on a bad URL.
void checkBrokerUrl(std::string_view url);

}  // namespace auth_errors::messaging
