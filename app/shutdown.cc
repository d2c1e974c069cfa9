#include "app/shutdown.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/signalfd.h>
#include <unistd.h>

#include "platform/telemetry/log.h"

namespace auth_errors::app {
namespace {

using telemetry::LogLevel;
using namespace std::chrono_literals;

constexpr double kPollSeconds = 0.01;
// For slow readers of responses, once nothing else is left to do.
constexpr auto kLinger = 1s;

int openSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGINT);
  const int blocked = ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int descriptor = blocked == 0 ? ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC) : -1;
  if (descriptor < 0) {
    throw std::system_error(blocked == 0 ? errno : blocked, std::generic_category(), "signalfd");
  }
  return descriptor;
}

std::int64_t millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

}  // namespace

Shutdown::Shutdown(drogon::HttpAppFramework& app, ShutdownOptions options)
    : app_(app), options_(std::move(options)), signals_(openSignals()) {
  // Drogon would run its handler, including logging, inside the signal handler.
  app_.disableSigtermHandling();
  channel_ = std::make_unique<trantor::Channel>(app_.getLoop(), signals_);
  channel_->setReadCallback([this] { signalled(); });
  channel_->enableReading();
}

Shutdown::~Shutdown() {
  channel_->disableAll();
  channel_->remove();
  ::close(signals_);
}

void Shutdown::signalled() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const std::string_view name = info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM";
    if (phase_ != Phase::serving) {
      giveUp("second signal", options_.traffic->inFlight);
    }
    begin(name);
  }
}

void Shutdown::begin(std::string_view why) {
  telemetry::log(LogLevel::info, "shutdown.begun",
                 {{"why", why}, {"inFlight", options_.traffic->inFlight.load()}});
  phase_ = Phase::finishingRequests;
  began_ = Clock::now();
  deadline_ = began_ + options_.deadline;
  options_.traffic->draining = true;
  options_.drainConnections();
  app_.getLoop()->runEvery(kPollSeconds, [this] { poll(); });
}

void Shutdown::poll() {
  const auto now = Clock::now();
  if (now >= deadline_) {
    giveUp("deadline", options_.traffic->inFlight);
  }
  if (phase_ == Phase::finishingRequests && options_.traffic->inFlight == 0) {
    stopParts();
  } else if (phase_ == Phase::closing && (options_.openConnections() == 0 || now >= lingerUntil_)) {
    quit();
  }
}

void Shutdown::stopParts() {
  phase_ = Phase::stopping;
  drogon::async_run([this]() -> drogon::Task<> {
    try {
      co_await options_.stop(deadline_);
    } catch (const std::exception& error) {
      telemetry::log(LogLevel::error, "shutdown.stop_failed", {{"error", error.what()}});
      giveUp("a component failed to stop", options_.traffic->inFlight);
    }
    phase_ = Phase::closing;
    lingerUntil_ = std::min(Clock::now() + kLinger, deadline_);
  });
}

void Shutdown::quit() {
  telemetry::log(LogLevel::info, "shutdown.done", {{"ms", millisecondsSince(began_)}});
  // Not Drogon's quit(): it calls into the I/O loops while their threads may be freeing them
  // (reported by TSan), so a clean drain could end in a crash. All parts have been stopped by now.
  ::_exit(EXIT_SUCCESS);
}

void Shutdown::giveUp(std::string_view why, std::int64_t inFlight) {
  telemetry::log(LogLevel::error, "shutdown.given_up", {{"why", why}, {"inFlight", inFlight}});
  // No destructors: other threads are still using what they would destroy.
  ::_exit(EXIT_FAILURE);
}

}  // namespace auth_errors::app
