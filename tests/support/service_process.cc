#include "tests/support/service_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <format>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/support/environment.h"
#include "tests/support/free_port.h"
#include "tests/support/project_paths.h"

namespace auth_errors::tests {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kTailBytes = 6000;
constexpr milliseconds kPollInterval{20};
constexpr const char* kLogName = "service.log";
constexpr std::string_view kReportPrefix = "sanitizer.";

std::filesystem::path makeDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "auth-errors-service-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
  }
  return pattern;
}

// The caller's environment must not affect a test, except for library paths and sanitizer options.
Environment cleanEnvironment(const std::filesystem::path& directory) {
  Environment environment{{"PATH", "/usr/bin:/bin"},
                          {"LC_ALL", "C.UTF-8"},
                          {"HOME", directory.string()},
                          {"TMPDIR", directory.string()},
                          {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}};
  if (const auto libraries = environmentVariable("LD_LIBRARY_PATH")) {
    environment["LD_LIBRARY_PATH"] = *libraries;
  }
  const std::string report =
      "log_path=" + (directory / kReportPrefix.substr(0, kReportPrefix.size() - 1)).string();
  for (const char* sanitizer : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    const auto options = environmentVariable(sanitizer);
    environment[sanitizer] = options ? *options + ":" + report : report;
  }
  return environment;
}

// Environment and arguments for exec, prepared before fork: between fork and exec a multithreaded
// process may only make async-signal-safe calls.
struct ExecArguments {
  ExecArguments(std::vector<std::string> arguments, const Environment& environment)
      : words(std::move(arguments)) {
    variables.reserve(environment.size());
    for (const auto& [key, value] : environment) {
      variables.push_back(std::format("{}={}", key, value));
    }
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    for (std::string& variable : variables) {
      envp.push_back(variable.data());
    }
    envp.push_back(nullptr);
  }

  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> envp;
};

pid_t spawn(const std::vector<std::string>& arguments, const Environment& environment,
            const std::filesystem::path& directory, const std::filesystem::path& logFile) {
  const ExecArguments exec(arguments, environment);
  const std::string workingDirectory = directory.string();
  const FileDescriptor log(
      ::open(logFile.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!log.valid() || !nothing.valid()) {
    throw std::system_error(errno, std::generic_category(), "open " + logFile.string());
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw std::system_error(errno, std::generic_category(), "fork");
  }
  if (child == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || ::dup2(nothing.get(), STDIN_FILENO) < 0 ||
        ::dup2(log.get(), STDOUT_FILENO) < 0 || ::dup2(log.get(), STDERR_FILENO) < 0 ||
        ::chdir(workingDirectory.c_str()) != 0) {
      ::_exit(126);
    }
    ::execve(exec.argv[0], exec.argv.data(), exec.envp.data());
    ::_exit(127);
  }
  return child;
}

// By system call: glibc's header for these two cannot be used from C++.
FileDescriptor openPid(pid_t pid) {
  FileDescriptor descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!descriptor.valid()) {
    throw std::system_error(errno, std::generic_category(), "pidfd_open");
  }
  return descriptor;
}

long sendSignal(int pidDescriptor, int number) {
  return ::syscall(SYS_pidfd_send_signal, pidDescriptor, number, nullptr, 0);
}

std::optional<ExitStatus> waitForEnd(pid_t pid, int pidDescriptor, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      return WIFSIGNALED(status) ? ExitStatus{.code = 0, .signal = WTERMSIG(status)}
                                 : ExitStatus{.code = WEXITSTATUS(status), .signal = 0};
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) {
      return std::nullopt;
    }
    pollfd entry{.fd = pidDescriptor, .events = POLLIN, .revents = 0};
    ::poll(&entry, 1, static_cast<int>(left.count()));
  }
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal != 0) {
    const char* description = ::sigdescr_np(signal);
    return std::format("signal {} ({})", signal, description == nullptr ? "unknown" : description);
  }
  return std::format("exit code {}", code);
}

std::string serviceBinary() {
  return environmentVariable("AUTH_ERRORS_BINARY").value_or(builtBinary("auth-errors"));
}

ServiceProcess::ServiceProcess(ServiceOptions options)
    : options_(std::move(options)), port_(freePort()), directory_(makeDirectory()) {
  try {
    start();
  } catch (...) {
    std::filesystem::remove_all(directory_);
    throw;
  }
}

ServiceProcess::~ServiceProcess() {
  if (alive()) {
    const ExitStatus status = terminate();
    EXPECT_EQ(status, ExitStatus{}) << "the service exited abnormally: " << status.text();
  } else if (!killedOnPurpose_ && ended_ != ExitStatus{}) {
    ADD_FAILURE() << "the service exited unexpectedly: " << ended_.value_or(ExitStatus{}).text();
  }
  reportLeftovers();
  if (::testing::Test::HasFailure()) {
    std::cerr << "---- end of the service's log\n" << logTail() << "\n----\n";
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void ServiceProcess::start() {
  Environment environment = cleanEnvironment(directory_);
  environment["DATABASE_URL"] = options_.databaseUrl;
  environment["AUTH_ERRORS_PORT"] = std::to_string(port_);
  environment["AUTH_ERRORS_LISTEN"] = "127.0.0.1";
  environment["AUTH_ERRORS_LOG_FORMAT"] = "json";
  if (!options_.environment.contains("AMQP_URL")) {
    environment["AUTH_ERRORS_ROLES"] = "api";
  }
  for (const auto& [key, value] : options_.environment) {
    environment[key] = value;
  }
  std::vector<std::string> arguments{serviceBinary()};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  pid_ = spawn(arguments, environment, directory_, directory_ / kLogName);
  pidDescriptor_ = openPid(pid_);
  ended_.reset();
  killedOnPurpose_ = false;
  waitUntilItAnswers();
}

void ServiceProcess::waitUntilItAnswers() {
  const auto deadline = Clock::now() + options_.startDeadline;
  const std::string_view path = options_.waitUntilReady ? "/health/ready" : "/health/live";
  std::string last = "nothing";
  HttpClient http = client();
  while (Clock::now() < deadline) {
    if (options_.speaksTls && RawConnection::connect(port_, std::chrono::seconds(2))) {
      return;
    }
    const auto answer = http.get(path, std::chrono::seconds(2));
    if (answer && answer->status == 200) {
      return;
    }
    last = answer ? std::format("{} {}", answer->status, answer->body) : answer.error().message;
    // The wait is also the pause between two attempts; it ends at once if the process exits.
    if (const auto status = wait(kPollInterval)) {
      throw std::runtime_error(std::format("{} ended at its start with {}; its log:\n{}",
                                           serviceBinary(), status->text(), logTail()));
    }
  }
  kill9();
  throw std::runtime_error(std::format("{} did not answer {} in time (last: {}); its log:\n{}",
                                       serviceBinary(), path, last, logTail()));
}

void ServiceProcess::signal(int number) const {
  if (sendSignal(pidDescriptor_.get(), number) != 0 && errno != ESRCH) {
    throw std::system_error(errno, std::generic_category(), "pidfd_send_signal");
  }
}

std::optional<ExitStatus> ServiceProcess::wait(milliseconds deadline) {
  if (!ended_ && pid_ > 0) {
    ended_ = waitForEnd(pid_, pidDescriptor_.get(), deadline);
  }
  return ended_;
}

bool ServiceProcess::alive() { return pid_ > 0 && !wait(milliseconds(0)); }

ExitStatus ServiceProcess::kill9() {
  killedOnPurpose_ = true;
  signal(SIGKILL);
  const auto status = wait(std::chrono::seconds(20));
  if (!status) {
    throw std::runtime_error("the service survived SIGKILL");
  }
  return *status;
}

ExitStatus ServiceProcess::terminate(milliseconds deadline) {
  signal(SIGTERM);
  if (const auto status = wait(deadline)) {
    return *status;
  }
  return kill9();
}

std::string ServiceProcess::logText() const { return readFile(directory_ / kLogName); }

std::string ServiceProcess::logTail() const {
  const std::string text = logText();
  return text.substr(text.size() - std::min(text.size(), kTailBytes));
}

void ServiceProcess::reportLeftovers() const {
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(kReportPrefix)) {
      ADD_FAILURE() << "a sanitizer reported:\n" << readFile(entry.path());
    } else if (file == "core" || file.starts_with("core.")) {
      ADD_FAILURE() << "the service left a core file";
    }
  }
}

CommandResult runService(const std::vector<std::string>& arguments, const Environment& environment,
                         milliseconds deadline) {
  const std::filesystem::path directory = makeDirectory();
  Environment merged = cleanEnvironment(directory);
  for (const auto& [key, value] : environment) {
    merged[key] = value;
  }
  // One file for both: the sanitizer report of a one-shot command belongs to its output.
  for (const char* sanitizer : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    merged[sanitizer] += ":log_path=stderr";
  }
  std::vector<std::string> words{serviceBinary()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t pid = spawn(words, merged, directory, directory / kLogName);
  const FileDescriptor descriptor = openPid(pid);
  auto status = waitForEnd(pid, descriptor.get(), deadline);
  if (!status) {
    sendSignal(descriptor.get(), SIGKILL);
    status = waitForEnd(pid, descriptor.get(), std::chrono::seconds(20));
  }
  CommandResult result{.status = status.value_or(ExitStatus{.code = 0, .signal = SIGKILL}),
                       .output = readFile(directory / kLogName)};
  std::filesystem::remove_all(directory);
  return result;
}

}  // namespace auth_errors::tests
