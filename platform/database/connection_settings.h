// ClientOptions as libpq takes them. Immutable, so any thread may read it. Only for this folder's
// own sources.
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

// One of the servers that a URL names.
struct ServerAddress {
  std::string host;     // a name, an address, or the folder of a socket; empty: libpq's default
  std::string address;  // empty: that of the host
  std::string port;     // empty: libpq's default

  // Is it for DNS to say where it is?
  [[nodiscard]] bool isName() const;
};

class ConnectionSettings {
 public:
  // Throws std::invalid_argument, without quoting it, on a bad URL.
  explicit ConnectionSettings(const ClientOptions& options);

  // The names that have to be looked up before connecting, since libpq would block to do it.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // All servers with what was found for names(), each of a server's addresses on its own. They
  // begin with another one for each attempt: libpq waits for a silent one for as long as it is let.
  [[nodiscard]] std::vector<ServerAddress> reachable(
      const std::vector<workers::HostLookup::Found>& found, std::size_t attempt) const;
  // As PQconnectStartParams.
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
