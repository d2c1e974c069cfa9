// A private PostgreSQL cluster for tests that kill it. For one thread at a time. The cluster lives
// in a temporary folder; its processes and files are removed with this object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace auth_errors::tests {

class PostgresServer {
 public:
  struct Options {
    bool tls = false;                   // ssl=on, with a self-signed certificate for "localhost"
    std::vector<std::string> settings;  // "name=value"
  };

  PostgresServer();
  explicit PostgresServer(const Options& options);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  PostgresServer(PostgresServer&&) = delete;
  PostgresServer& operator=(PostgresServer&&) = delete;

  // Sends the signal to the postmaster and waits until that process has exited.
  void kill(int signal);
  // Restarts it on the same port and data, and waits until it accepts connections.
  void start();

  [[nodiscard]] bool running() const { return process_ > 0; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Over TCP, as superuser.
  [[nodiscard]] std::string url() const;
  // The complete server log.
  [[nodiscard]] std::string logText() const;
  // The certificate for a client's sslrootcert; only with Options::tls.
  [[nodiscard]] std::filesystem::path certificate() const;

 private:
  void makeCluster(const Options& options);
  bool tryStart();

  std::filesystem::path folder_;
  std::vector<std::string> settings_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace auth_errors::tests
