// A private RabbitMQ node for tests that stop, kill and freeze it. For one thread at a time. It
// lives in a temporary folder; its processes and files are removed with this object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace auth_errors::tests {

class RabbitmqServer {
 public:
  struct Options {
    bool tls = false;  // also listens for amqps, with a self-signed certificate for "localhost"
    std::vector<std::string> settings;  // lines of rabbitmq.conf
  };

  RabbitmqServer();
  explicit RabbitmqServer(const Options& options);
  ~RabbitmqServer();
  RabbitmqServer(const RabbitmqServer&) = delete;
  RabbitmqServer& operator=(const RabbitmqServer&) = delete;
  RabbitmqServer(RabbitmqServer&&) = delete;
  RabbitmqServer& operator=(RabbitmqServer&&) = delete;

  // Shuts it down gracefully.
  void stop();
  // Sends SIGKILL.
  void kill();
  // Restarts it on the same port and data, and waits until it accepts connections.
  void start();
  // Suspends the node; its connections stay open.
  void freeze();
  void thaw();

  // Runs rabbitmqctl with these arguments and returns its output. Takes about a second.
  std::string control(const std::vector<std::string>& arguments);

  [[nodiscard]] bool running() const { return process_ > 0; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const;
  // The amqps URL, for this name of the loopback address; only with Options::tls.
  [[nodiscard]] std::string tlsUrl(const std::string& host = "localhost") const;
  // The self-signed certificate of the node; only with Options::tls.
  [[nodiscard]] std::filesystem::path certificate() const;
  // Another self-signed certificate for the same name; only with Options::tls.
  [[nodiscard]] std::filesystem::path otherCertificate() const;

 private:
  void writeFiles(const Options& options);
  [[nodiscard]] std::vector<std::string> inItsEnvironment(std::vector<std::string> command) const;
  [[nodiscard]] std::filesystem::path log() const { return folder_ / "server.log"; }

  std::filesystem::path folder_;
  std::string secret_;
  std::uint16_t port_ = 0;
  std::uint16_t tlsPort_ = 0;
  std::uint16_t epmdPort_ = 0;
  std::uint16_t distributionPort_ = 0;
  pid_t epmd_ = -1;
  pid_t process_ = -1;
};

}  // namespace auth_errors::tests
