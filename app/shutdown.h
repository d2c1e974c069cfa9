// The way out, in our own order, because Drogon's quit() drains nothing: refuse new work, wait for
// the requests at hand, run the stop steps, close, quit. Lives on the main loop; bounded by a
// deadline. A second signal, or the deadline, ends the process at once: all that matters is in the
// database, and being killed is a case it must survive anyway.
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

// Flushes and closes what the service is made of; on the main loop, after the last request ended.
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
  // Takes SIGTERM and SIGINT for itself. Before any other thread exists, so that all inherit it.
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
