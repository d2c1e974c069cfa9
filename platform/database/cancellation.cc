#include "platform/database/cancellation.h"

#include <exception>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "platform/telemetry/log.h"

namespace auth_errors::database {

Cancellation::Cancellation(trantor::EventLoop& loop, PGconn* connection,
                           std::function<void()> onFinished)
    : loop_(loop), cancel_(PQcancelCreate(connection)), onFinished_(std::move(onFinished)) {}

Cancellation::~Cancellation() {
  watch_.reset();
  PQcancelFinish(cancel_);
}

void Cancellation::start() {
  if (PQcancelStart(cancel_) == 0) {
    finish();
    return;
  }
  watch(false, true);
}

void Cancellation::watch(bool read, bool write) {
  try {
    watch_ = std::make_unique<SocketWatch>(loop_, PQcancelSocket(cancel_), [this] { proceed(); });
    watch_->want(read, write);
  } catch (const std::exception&) {
    // Without a free file descriptor, the connection's own grace period must suffice.
    finish();
  }
}

void Cancellation::proceed() {
  const auto self = shared_from_this();
  // PQcancelPoll may replace the socket, even by one with the same number.
  watch_.reset();
  const PostgresPollingStatusType status = PQcancelPoll(cancel_);
  if (status != PGRES_POLLING_READING && status != PGRES_POLLING_WRITING) {
    finish();
    return;
  }
  watch(status == PGRES_POLLING_READING, status == PGRES_POLLING_WRITING);
}

void Cancellation::finish() {
  if (PQcancelStatus(cancel_) == CONNECTION_BAD) {
    telemetry::log(telemetry::LogLevel::debug, "database.cancel_failed");
  }
  loop_.queueInLoop([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->onFinished_();
    }
  });
}

}  // namespace auth_errors::database
