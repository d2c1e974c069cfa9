#include "tests/support/postgres_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/free_port.h"

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

// PostgreSQL refuses to run as root.
std::vector<std::string> asServerUser(std::vector<std::string> command) {
  if (::geteuid() == 0) {
    const std::vector<std::string> prefix{"setpriv", std::string("--reuid=") + kServerUser,
                                          std::string("--regid=") + kServerUser, "--clear-groups"};
    command.insert(command.begin(), prefix.begin(), prefix.end());
  }
  return command;
}

void giveToServerUser(const std::filesystem::path& path) {
  if (::geteuid() != 0) {
    return;
  }
  const passwd* user = ::getpwnam(kServerUser);  // NOLINT(concurrency-mt-unsafe)
  if (user == nullptr) {
    throw std::runtime_error("no user to run PostgreSQL as");
  }
  if (::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw std::system_error(errno, std::generic_category(), "chown " + path.string());
  }
}

pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& log) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  // A signal meant for the test, e.g. Ctrl-C, must not reach the server behind our back.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int failure =
      ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw std::system_error(failure, std::generic_category(), "spawn " + command.front());
  }
  return process;
}

std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void runToEnd(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const pid_t process = spawn(command, log);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    throw std::runtime_error(command.front() + " failed:\n" + textOf(log));
  }
}

}  // namespace

PostgresServer::PostgresServer() : PostgresServer(Options{}) {}

PostgresServer::PostgresServer(const Options& options) {
  std::string name =
      (std::filesystem::temp_directory_path() / "auth-errors-postgres-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  }
  folder_ = name;
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
  // Backends of a killed postmaster may still be leaving the folder.
  const auto limit = std::chrono::steady_clock::now() + 10s;
  std::error_code failure;
  do {
    std::filesystem::remove_all(folder_, failure);
  } while (failure && std::chrono::steady_clock::now() < limit);
}

void PostgresServer::makeCluster(const Options& options) {
  giveToServerUser(folder_);
  const auto log = folder_ / "setup.log";
  runToEnd(asServerUser({serverBinary("initdb").string(), "--pgdata=" + (folder_ / "data").string(),
                         "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
                         "--no-sync", "--no-instructions"}),
           log);
  settings_ = {"listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB",
               "max_connections=200",
               // These tests kill processes, not machines.
               "fsync=off", "log_min_messages=warning"};
  if (options.tls) {
    const auto key = folder_ / "server.key";
    runToEnd(asServerUser({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                           "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                           "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                           "-keyout", key.string(), "-out", certificate().string()}),
             log);
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
  ::kill(process_, signal);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void PostgresServer::start() {
  if (running()) {
    throw std::logic_error("PostgreSQL is running already");
  }
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  const bool first = port_ == 0;
  // After a killed postmaster the next one refuses to start until the last old backend has gone;
  // at the first start another program may have been faster to take the port.
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
  process_ = spawn(asServerUser(std::move(command)), folder_ / "server.log");
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  while (std::chrono::steady_clock::now() < limit) {
    if (::waitpid(process_, nullptr, WNOHANG) == process_) {
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

std::filesystem::path PostgresServer::certificate() const { return folder_ / "server.crt"; }

}  // namespace auth_errors::tests
