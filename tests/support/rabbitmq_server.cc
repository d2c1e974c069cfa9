#include "tests/support/rabbitmq_server.h"

#include <chrono>
#include <csignal>
#include <format>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/support/file_descriptor.h"
#include "tests/support/free_port.h"
#include "tests/support/server_process.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto kBrokerStartLimit = 90s;
constexpr auto kBrokerPollInterval = 20ms;
constexpr auto kBrokerUser = "rabbitmq";
constexpr auto kNodeName = "auth-errors-test@localhost";

// Runs the programs directly: Debian's wrappers insist on its own folders and on root.
std::filesystem::path brokerBinary(const std::string& name) {
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/rabbitmq/lib")) {
    auto path = version.path() / "sbin" / name;
    if (std::filesystem::exists(path)) {
      return path;
    }
  }
  throw std::runtime_error("no RabbitMQ server installed: " + name + " not found");
}

bool takesConnections(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

RabbitmqServer::RabbitmqServer() : RabbitmqServer(Options{}) {}

RabbitmqServer::RabbitmqServer(const Options& options)
    : folder_(makeServerFolder(kBrokerUser, kBrokerUser)),
      secret_(std::format("{:08x}{:08x}", std::random_device{}(), std::random_device{}())),
      port_(freePort()),
      tlsPort_(options.tls ? freePort() : std::uint16_t{0}),
      epmdPort_(freePort()),
      distributionPort_(freePort()) {
  writeFiles(options);
  // A dedicated epmd: one started by Erlang itself would outlive the broker.
  epmd_ = spawnServer(
      asServerUser(kBrokerUser, inItsEnvironment({"epmd", "-port", std::to_string(epmdPort_),
                                                  "-address", "127.0.0.1"})),
      folder_ / "epmd.log");
  start();
}

RabbitmqServer::~RabbitmqServer() {
  if (running()) {
    endServer(process_, SIGKILL);
  }
  if (epmd_ > 0) {
    endServer(epmd_, SIGKILL);
  }
  // Helper processes of a killed node may still hold files in the folder.
  const auto limit = std::chrono::steady_clock::now() + 10s;
  std::error_code failure;
  do {
    std::filesystem::remove_all(folder_, failure);
  } while (failure && std::chrono::steady_clock::now() < limit);
}

void RabbitmqServer::writeFiles(const Options& options) {
  std::ofstream settings(folder_ / "rabbitmq.conf");
  settings << "listeners.tcp.1 = 127.0.0.1:" << port_ << "\n"
           << "default_user = tester\n"
           << "default_pass = " << secret_ << "\n"
           << "log.file = false\nlog.console = true\n";
  if (options.tls) {
    const auto key = folder_ / "server.key";
    makeCertificate(kBrokerUser, key, certificate(), folder_ / "setup.log");
    makeCertificate(kBrokerUser, folder_ / "other.key", otherCertificate(), folder_ / "setup.log");
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all |
                                              std::filesystem::perms::group_exec |
                                              std::filesystem::perms::others_exec);
    settings << "listeners.ssl.1 = 127.0.0.1:" << tlsPort_ << "\n"
             << "ssl_options.cacertfile = " << certificate().string() << "\n"
             << "ssl_options.certfile = " << certificate().string() << "\n"
             << "ssl_options.keyfile = " << key.string() << "\n"
             << "ssl_options.verify = verify_none\n";
  }
  for (const auto& line : options.settings) {
    settings << line << "\n";
  }
  std::ofstream(folder_ / "plugins") << "[].\n";
  const auto cookie = folder_ / ".erlang.cookie";
  std::ofstream(cookie) << secret_;
  std::filesystem::permissions(cookie, std::filesystem::perms::owner_read);
  giveToServerUser(kBrokerUser, cookie);
}

std::vector<std::string> RabbitmqServer::inItsEnvironment(std::vector<std::string> command) const {
  const auto folder = folder_.string();
  const std::vector<std::string> prefix{
      "env",
      "HOME=" + folder,
      std::format("ERL_EPMD_PORT={}", epmdPort_),
      "ERL_EPMD_ADDRESS=127.0.0.1",
      "RUNNING_UNDER_SYSTEMD=1",
      std::format("RABBITMQ_NODENAME={}", kNodeName),
      std::format("RABBITMQ_DIST_PORT={}", distributionPort_),
      "RABBITMQ_MNESIA_BASE=" + folder + "/data",
      "RABBITMQ_LOG_BASE=" + folder + "/log",
      "RABBITMQ_PID_FILE=" + folder + "/pid",
      "RABBITMQ_CONFIG_FILE=" + folder + "/rabbitmq.conf",
      "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/plugins",
      "RABBITMQ_CONF_ENV_FILE=" + folder + "/none",
      "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}"};
  command.insert(command.begin(), prefix.begin(), prefix.end());
  return command;
}

void RabbitmqServer::start() {
  if (running()) {
    throw std::logic_error("RabbitMQ is already running");
  }
  process_ = spawnServer(
      asServerUser(kBrokerUser, inItsEnvironment({brokerBinary("rabbitmq-server").string()})),
      log());
  const auto limit = std::chrono::steady_clock::now() + kBrokerStartLimit;
  while (!takesConnections(port_)) {
    if (!stillRuns(process_)) {
      process_ = -1;
      throw std::runtime_error("RabbitMQ did not start:\n" + textOf(log()));
    }
    if (std::chrono::steady_clock::now() > limit) {
      throw std::runtime_error("RabbitMQ did not start in time:\n" + textOf(log()));
    }
    std::this_thread::sleep_for(kBrokerPollInterval);
  }
}

void RabbitmqServer::stop() { endServer(std::exchange(process_, -1), SIGTERM); }

void RabbitmqServer::kill() { endServer(std::exchange(process_, -1), SIGKILL); }

void RabbitmqServer::freeze() { freezeProcess(process_); }

void RabbitmqServer::thaw() { ::kill(process_, SIGCONT); }

std::string RabbitmqServer::control(const std::vector<std::string>& arguments) {
  const auto output = folder_ / "control.log";
  std::filesystem::remove(output);
  std::vector<std::string> command{brokerBinary("rabbitmqctl").string(), "--quiet", "--node",
                                   kNodeName};
  command.insert(command.end(), arguments.begin(), arguments.end());
  runToEnd(asServerUser(kBrokerUser, inItsEnvironment(std::move(command))), output);
  return textOf(output);
}

std::string RabbitmqServer::url() const {
  return std::format("amqp://tester:{}@127.0.0.1:{}/", secret_, port_);
}

std::string RabbitmqServer::tlsUrl(const std::string& host) const {
  return std::format("amqps://tester:{}@{}:{}/", secret_, host, tlsPort_);
}

std::filesystem::path RabbitmqServer::certificate() const { return folder_ / "server.crt"; }

std::filesystem::path RabbitmqServer::otherCertificate() const { return folder_ / "other.crt"; }

}  // namespace auth_errors::tests
