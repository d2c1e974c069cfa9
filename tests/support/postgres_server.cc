#include "tests/support/postgres_server.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ranges>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <libpq-fe.h>

#include "tests/support/free_port.h"
#include "tests/support/server_process.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartLimit = 60s;
constexpr auto kPollInterval = 20ms;
constexpr auto kServerUser = "postgres";

std::filesystem::path serverBinary(const std::string& name) {
  std::vector<std::filesystem::path> folders;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
    folders.push_back(version.path() / "bin");
  }
  std::ranges::sort(folders);
  for (const auto& folder : std::views::reverse(folders)) {
    if (std::filesystem::exists(folder / name)) {
      return folder / name;
    }
  }
  throw std::runtime_error("no PostgreSQL server installed: " + name + " not found");
}

}  // namespace

PostgresServer::PostgresServer() : PostgresServer(Options{}) {}

PostgresServer::PostgresServer(const Options& options) {
  folder_ = makeServerFolder(kServerUser, kServerUser);
  try {
    makeCluster(options);
    start();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
}

PostgresServer::~PostgresServer() {
  if (running()) {
    kill(SIGQUIT);
  }
  // Backends of a killed postmaster may still hold files in the folder.
  const auto limit = std::chrono::steady_clock::now() + 10s;
  std::error_code failure;
  do {
    std::filesystem::remove_all(folder_, failure);
  } while (failure && std::chrono::steady_clock::now() < limit);
}

void PostgresServer::makeCluster(const Options& options) {
  const auto log = folder_ / "setup.log";
  runToEnd(asServerUser(kServerUser,
                        {serverBinary("initdb").string(), "--pgdata=" + (folder_ / "data").string(),
                         "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
                         "--no-sync", "--no-instructions"}),
           log);
  settings_ = {"listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB",
               "max_connections=200",
               // These tests kill processes, not machines.
               "fsync=off", "log_min_messages=warning"};
  if (options.tls) {
    const auto key = folder_ / "server.key";
    makeCertificate(kServerUser, key, certificate(), log);
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all |
                                              std::filesystem::perms::group_exec |
                                              std::filesystem::perms::others_exec);
    settings_.insert(settings_.end(), {"ssl=on", "ssl_cert_file=" + certificate().string(),
                                       "ssl_key_file=" + key.string()});
  }
  settings_.insert(settings_.end(), options.settings.begin(), options.settings.end());
}

void PostgresServer::kill(int signal) {
  if (!running()) {
    throw std::logic_error("PostgreSQL is not running");
  }
  endServer(process_, signal);
  process_ = -1;
}

void PostgresServer::start() {
  if (running()) {
    throw std::logic_error("PostgreSQL is already running");
  }
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  const bool first = port_ == 0;
  // A new postmaster refuses to start until the last backend of a killed one has exited; on the
  // first start another program may have taken the port.
  do {
    if (first) {
      port_ = freePort();
    }
    if (tryStart()) {
      return;
    }
    std::this_thread::sleep_for(kPollInterval);
  } while (std::chrono::steady_clock::now() < limit);
  throw std::runtime_error("PostgreSQL did not start:\n" + textOf(folder_ / "server.log"));
}

bool PostgresServer::tryStart() {
  std::vector<std::string> command{serverBinary("postgres").string(), "-D",
                                   (folder_ / "data").string(), "-p", std::to_string(port_)};
  for (const auto& setting : settings_) {
    command.emplace_back("-c");
    command.push_back(setting);
  }
  process_ = spawnServer(asServerUser(kServerUser, std::move(command)), folder_ / "server.log");
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  while (std::chrono::steady_clock::now() < limit) {
    if (!stillRuns(process_)) {
      process_ = -1;
      return false;
    }
    if (PQping(url().c_str()) == PQPING_OK) {
      return true;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  kill(SIGKILL);
  return false;
}

std::string PostgresServer::url() const {
  return "postgresql://postgres@127.0.0.1:" + std::to_string(port_) + "/postgres";
}

std::string PostgresServer::logText() const { return textOf(folder_ / "server.log"); }

std::filesystem::path PostgresServer::certificate() const { return folder_ / "server.crt"; }

}  // namespace auth_errors::tests
