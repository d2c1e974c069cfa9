// The real binary as a child process, on a free port, in its own working directory. The thread that
// creates it owns it and must outlive it: the child dies with that thread. Nothing is left behind
// however it ends, and a crash, a core file or a sanitizer report fails the test.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/api_keys.h"
#include "tests/support/file_descriptor.h"
#include "tests/support/http_client.h"

namespace auth_errors::tests {

using Environment = std::map<std::string, std::string>;

struct ExitStatus {
  int code = 0;    // of exit(), if signal is 0
  int signal = 0;  // that killed it, or 0

  [[nodiscard]] std::string text() const;
  bool operator==(const ExitStatus&) const = default;
};

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct ServiceOptions {
  std::string databaseUrl{};
  Environment environment{};  // overrides the variables that this class sets
  std::vector<std::string> arguments{"serve"};
  Headers headers = bearer(kIngestKey);  // sent by every client()
  bool waitUntilReady = true;
  bool speaksTls = false;  // waits only for its port
  std::chrono::milliseconds startDeadline{20'000};
};
// NOLINTEND(readability-redundant-member-init)

class ServiceProcess {
 public:
  // Starts it and waits until it answers; otherwise throws std::runtime_error with its log.
  explicit ServiceProcess(ServiceOptions options);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;
  ServiceProcess(ServiceProcess&&) = delete;
  ServiceProcess& operator=(ServiceProcess&&) = delete;

  // Restarts it after it exited: same port, same directory, same log.
  void start();

  void signal(int number) const;
  ExitStatus kill9();
  // Sends SIGTERM, and SIGKILL at the deadline (which the returned status then shows).
  ExitStatus terminate(std::chrono::milliseconds deadline = std::chrono::seconds(20));
  // nullopt at the deadline.
  std::optional<ExitStatus> wait(std::chrono::milliseconds deadline);

  [[nodiscard]] bool alive();
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] HttpClient client() const { return HttpClient(port_, options_.headers); }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] std::string logText() const;

 private:
  void waitUntilItAnswers();
  [[nodiscard]] std::string logTail() const;
  void reportLeftovers() const;

  ServiceOptions options_;
  std::uint16_t port_;
  std::filesystem::path directory_;
  pid_t pid_ = -1;
  FileDescriptor pidDescriptor_;
  std::optional<ExitStatus> ended_;
  bool killedOnPurpose_ = false;
};

// The path of the binary under test: AUTH_ERRORS_BINARY, or the one of this build.
std::string serviceBinary();

struct CommandResult {
  ExitStatus status;
  std::string output;  // stdout and stderr together
};

// Runs the binary with these arguments until it exits, for commands like `migrate` and
// `check-config`.
CommandResult runService(const std::vector<std::string>& arguments, const Environment& environment,
                         std::chrono::milliseconds deadline = std::chrono::seconds(30));

}  // namespace auth_errors::tests
