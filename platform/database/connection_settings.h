// ClientOptions in libpq's form. Immutable, so any thread may read it. Only for this folder's own
// sources.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <libpq-fe.h>

#include "platform/database/client.h"
#include "platform/workers/host_lookup.h"

namespace auth_errors::database {

// One of the servers named by a URL.
struct ServerAddress {
  std::string host;     // a name, an address, or the folder of a socket; empty: libpq's default
  std::string address;  // empty: resolved from the host
  std::string port;     // empty: libpq's default

  // Whether it must be resolved by DNS.
  [[nodiscard]] bool isName() const;
};

class ConnectionSettings {
 public:
  // Throws std::invalid_argument on an invalid URL, without quoting it.
  explicit ConnectionSettings(const ClientOptions& options);

  // The names to resolve before connecting, because libpq would block to do it.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // All servers with the addresses found for names(), each address as a server of its own. The list
  // starts with another server in each attempt, because libpq waits for an unresponsive one until
  // the timeout.
  [[nodiscard]] std::vector<ServerAddress> reachable(
      const std::vector<workers::HostLookup::Found>& found, std::size_t attempt) const;
  // Calls PQconnectStartParams.
  [[nodiscard]] PGconn* startConnecting(const std::vector<ServerAddress>& servers) const;

  [[nodiscard]] std::chrono::milliseconds connectTimeout() const { return connectTimeout_; }
  [[nodiscard]] std::chrono::milliseconds cancelGrace() const { return cancelGrace_; }

  ConnectionSettings(const ConnectionSettings&) = delete;
  ConnectionSettings& operator=(const ConnectionSettings&) = delete;
  ConnectionSettings(ConnectionSettings&&) = delete;
  ConnectionSettings& operator=(ConnectionSettings&&) = delete;
  ~ConnectionSettings() = default;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<ServerAddress> servers_;
  std::vector<std::string> names_;
  std::chrono::milliseconds connectTimeout_;
  std::chrono::milliseconds cancelGrace_;
};

}  // namespace auth_errors::database
