#include "tests/support/server_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace auth_errors::tests {

std::filesystem::path makeServerFolder(const std::string& name, const std::string& user) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / ("auth-errors-" + name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  }
  giveToServerUser(user, pattern);
  return pattern;
}

std::vector<std::string> asServerUser(const std::string& user, std::vector<std::string> command) {
  if (::geteuid() == 0) {
    const std::vector<std::string> prefix{"setpriv", "--reuid=" + user, "--regid=" + user,
                                          "--clear-groups"};
    command.insert(command.begin(), prefix.begin(), prefix.end());
  }
  return command;
}

void giveToServerUser(const std::string& user, const std::filesystem::path& path) {
  if (::geteuid() != 0) {
    return;
  }
  const passwd* entry = ::getpwnam(user.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (entry == nullptr) {
    throw std::runtime_error("no such user: " + user);
  }
  if (::chown(path.c_str(), entry->pw_uid, entry->pw_gid) != 0) {
    throw std::system_error(errno, std::generic_category(), "chown " + path.string());
  }
}

pid_t spawnServer(const std::vector<std::string>& command, const std::filesystem::path& log) {
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
  // A signal meant for the test, e.g. Ctrl-C, must not reach the server.
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

void runToEnd(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const pid_t process = spawnServer(command, log);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    throw std::runtime_error(command.front() + " failed:\n" + textOf(log));
  }
}

void endServer(pid_t process, int signal) {
  ::kill(process, signal);
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void freezeProcess(pid_t process) {
  ::kill(process, SIGSTOP);
  siginfo_t stopped;
  while (::waitid(P_PID, static_cast<id_t>(process), &stopped, WSTOPPED) < 0) {
    if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "waitid");
    }
  }
}

bool stillRuns(pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != process; }

std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void makeCertificate(const std::string& user, const std::filesystem::path& key,
                     const std::filesystem::path& certificate, const std::filesystem::path& log) {
  runToEnd(
      asServerUser(user, {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                          "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                          "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                          "-keyout", key.string(), "-out", certificate.string()}),
      log);
}

}  // namespace auth_errors::tests
