// The event loop of a background role, with its thread. Owned by the main loop; the role's parts
// are constructed and stopped on it.
#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/EventLoopThread.h>

#include "app/roles/role_context.h"
#include "platform/telemetry/log.h"

namespace auth_errors::app::roles {

// Constructs a part on its loop, which must not be the calling one, and rethrows exceptions of its
// constructor.
template <typename Part, typename... Arguments>
std::unique_ptr<Part> makeOn(trantor::EventLoop& loop, Arguments&&... arguments) {
  std::promise<std::unique_ptr<Part>> made;
  loop.queueInLoop([&] {
    try {
      made.set_value(std::make_unique<Part>(loop, std::forward<Arguments>(arguments)...));
    } catch (...) {
      made.set_exception(std::current_exception());
    }
  });
  return made.get_future().get();
}

class RoleLoop {
 public:
  RoleLoop(const RoleContext& context, std::string name, LoopName measuredAs)
      : context_(context), name_(std::move(name)), measuredAs_(measuredAs) {}

  // Constructs the part unless it exists, so that it may be called again after a failure.
  template <typename Part>
  void ensure(std::unique_ptr<Part>& part) {
    if (!part) {
      part = makeOn<Part>(running(), context_.settings, context_);
    }
  }

  // Ends on the main loop. The part, if it exists, is stopped but not destroyed: a handler that
  // outlives the deadline may still use it.
  template <typename Part>
  drogon::Task<> stop(Part* part, std::chrono::steady_clock::time_point deadline) {
    if (part == nullptr) {
      co_return;
    }
    co_await drogon::switchThreadCoro(thread_->getLoop());
    try {
      co_await part->stop(deadline);
    } catch (const std::exception& error) {
      telemetry::log(telemetry::LogLevel::error, "delivery.stop_failed", {{"error", error.what()}});
    }
    co_await drogon::switchThreadCoro(&context_.mainLoop);
  }

 private:
  trantor::EventLoop& running();

  const RoleContext& context_;
  std::string name_;
  LoopName measuredAs_;
  std::unique_ptr<trantor::EventLoopThread> thread_;
};

}  // namespace auth_errors::app::roles
