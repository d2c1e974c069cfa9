#include "platform/database/listener.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "domain/retry/backoff.h"
#include "platform/database/connection.h"
#include "platform/database/request.h"
#include "platform/telemetry/log.h"

namespace auth_errors::database {
namespace {

std::string quoteIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    quoted += letter;
    if (letter == '"') {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

// An exception from a callback would end the loop, and with it the process.
template <typename Function, typename... Arguments>
void callSafely(const Function& function, const Arguments&... arguments) {
  if (!function) {
    return;
  }
  try {
    function(arguments...);
  } catch (const std::exception& failure) {
    telemetry::log(telemetry::LogLevel::error, "database.listener_callback_threw",
                   {{"reason", failure.what()}});
  }
}

}  // namespace

class ListenerCore : public ConnectionOwner, public std::enable_shared_from_this<ListenerCore> {
 public:
  ListenerCore(trantor::EventLoop& loop, const ClientOptions& options, std::string channel,
               Listener::Callbacks callbacks)
      : loop_(loop),
        settings_(std::make_shared<const ConnectionSettings>(options)),
        deadlines_(std::make_shared<workers::Deadlines>(loop)),
        backoff_(options.reconnectDelayMin, options.reconnectDelayMax),
        channel_(std::move(channel)),
        callbacks_(std::move(callbacks)) {}

  void connect() {
    if (closed_) {
      return;
    }
    connection_ = std::make_shared<Connection>(loop_, settings_, weak_from_this());
    const auto connection = connection_;
    connection->open(failures_);
  }

  void close() {
    closed_ = true;
    if (const auto connection = connection_) {
      connection->drop("the listener is closing");
    }
  }

  [[nodiscard]] bool listening() const { return listening_.load(std::memory_order_relaxed); }

  void onReady(Connection& connection) override {
    listen(shared_from_this(), connection.shared_from_this());
  }
  void onFree(Connection& /*connection*/) override {}

  void onLost(Connection& connection, const std::string& reason) override {
    listening_.store(false, std::memory_order_relaxed);
    connection_.reset();
    if (closed_) {
      return;
    }
    // Log one line per outage; further attempts go to the debug log.
    telemetry::log(connection.wasReady() || failures_ == 0 ? telemetry::LogLevel::warn
                                                           : telemetry::LogLevel::debug,
                   "database.listener_lost", {{"channel", channel_}, {"reason", reason}});
    ++failures_;
    loop_.runAfter(backoff_.next().count(), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->connect();
      }
    });
  }

  void onNotification(std::string payload) override {
    // From the queue: the callback may destroy this listener, whose connection is being read.
    loop_.queueInLoop([weak = weak_from_this(), payload = std::move(payload)] {
      const auto self = weak.lock();
      if (self && !self->closed_) {
        callSafely(self->callbacks_.onNotification, std::string_view(payload));
      }
    });
  }

 private:
  static drogon::AsyncTask listen(std::shared_ptr<ListenerCore> self,
                                  std::shared_ptr<Connection> connection) {
    const auto request = std::make_shared<Request>(
        self->loop_, Request::Kind::script,
        std::chrono::steady_clock::now() + self->settings_->connectTimeout());
    request->sql = "LISTEN " + quoteIdentifier(self->channel_);
    request->startClock(self->deadlines_, request->deadline());
    connection->submit(request);
    try {
      co_await Completion(request);
    } catch (const Error& error) {
      connection->drop(error.what());
      co_return;
    }
    if (self->closed_ || self->connection_ != connection) {
      co_return;
    }
    self->backoff_.reset();
    self->failures_ = 0;
    self->listening_.store(true, std::memory_order_relaxed);
    callSafely(self->callbacks_.onListening);
  }

  trantor::EventLoop& loop_;
  std::shared_ptr<const ConnectionSettings> settings_;
  std::shared_ptr<workers::Deadlines> deadlines_;
  domain::Backoff backoff_;
  std::string channel_;
  Listener::Callbacks callbacks_;
  std::shared_ptr<Connection> connection_;
  std::atomic<bool> listening_{false};
  std::size_t failures_ = 0;  // since it last listened
  bool closed_ = false;
};

Listener::Listener(trantor::EventLoop& loop, const ClientOptions& options, std::string channel,
                   Callbacks callbacks)
    : loop_(loop),
      core_(
          std::make_shared<ListenerCore>(loop, options, std::move(channel), std::move(callbacks))) {
  loop_.runInLoop([core = core_] { core->connect(); });
}

Listener::~Listener() {
  loop_.runInLoop([core = std::move(core_)] { core->close(); });
}

bool Listener::listening() const { return core_->listening(); }

void Listener::close() {
  loop_.assertInLoopThread();
  core_->close();
}

}  // namespace auth_errors::database
