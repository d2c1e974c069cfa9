// Graceful shutdown, because Drogon's quit() drains nothing: refuse new work, wait for running
// requests, run the stop steps, close, quit. Runs on the main loop, with a deadline. A second
// signal, or the deadline, ends the process immediately: everything important is in the database,
// and the service must survive being killed anyway.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include <drogon/HttpAppFramework.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/Channel.h>
#include <trantor/net/EventLoop.h>

#include "controllers/http/dispatcher.h"

namespace auth_errors::app {

// Flushes and closes the parts of the service; on the main loop, after the last request has ended.
using StopStep = std::function<drogon::Task<>(std::chrono::steady_clock::time_point deadline)>;

struct ShutdownOptions {
  std::chrono::milliseconds deadline{};
  std::shared_ptr<controllers::Traffic> traffic;
  std::function<void()> drainConnections;
  std::function<std::size_t()> openConnections;
  StopStep stop;
};

class Shutdown {
 public:
  // Handles SIGTERM and SIGINT. REQUIRES: there are no other threads yet, so that all inherit the
  // signal mask.
  Shutdown(drogon::HttpAppFramework& app, ShutdownOptions options);
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;
  Shutdown(Shutdown&&) = delete;
  Shutdown& operator=(Shutdown&&) = delete;

  void begin(std::string_view why);

 private:
  using Clock = std::chrono::steady_clock;

  void signalled();
  void poll();
  void stopParts();
  void quit();
  [[noreturn]] static void giveUp(std::string_view why, std::int64_t inFlight);

  drogon::HttpAppFramework& app_;
  ShutdownOptions options_;
  int signals_;
  std::unique_ptr<trantor::Channel> channel_;
  Clock::time_point began_;
  Clock::time_point deadline_;
  Clock::time_point lingerUntil_;
  enum class Phase : std::uint8_t { serving, finishingRequests, stopping, closing } phase_{};
};

}  // namespace auth_errors::app
