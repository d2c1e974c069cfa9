#include "platform/database/socket_watch.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <trantor/net/Channel.h>
#include <trantor/net/EventLoop.h>
#include <unistd.h>

namespace auth_errors::database {
namespace {

int duplicate(int descriptor) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    throw std::system_error(errno, std::generic_category(), "duplicate a database socket");
  }
  return copy;
}

}  // namespace

struct SocketWatch::State {
  State(trantor::EventLoop& loop, int copy, std::function<void()> handler)
      : descriptor(copy), channel(&loop, copy), onEvent(std::move(handler)) {}
  ~State() { ::close(descriptor); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;

  int descriptor;
  trantor::Channel channel;
  std::function<void()> onEvent;
  bool live = true;
  bool added = false;
};

SocketWatch::SocketWatch(trantor::EventLoop& loop, int descriptor, std::function<void()> onEvent)
    : loop_(loop),
      state_(std::make_shared<State>(loop, duplicate(descriptor), std::move(onEvent))) {
  state_->channel.setEventCallback([state = state_.get()] {
    if (state->live) {
      state->onEvent();
    }
  });
}

SocketWatch::~SocketWatch() {
  state_->live = false;
  // On another thread the loop has ended, and nothing polls the channel any more.
  if (!loop_.isInLoopThread()) {
    return;
  }
  if (state_->added) {
    state_->channel.disableAll();
    state_->channel.remove();
  }
  // The loop may have a pointer to the channel in the list of events that it is processing.
  loop_.queueInLoop([state = std::move(state_)] {});
}

void SocketWatch::want(bool read, bool write) {
  const int events =
      (read ? trantor::Channel::kReadEvent : 0) | (write ? trantor::Channel::kWriteEvent : 0);
  if (events != state_->channel.events()) {
    state_->channel.updateEvents(events);
    state_->added = true;
  }
}

}  // namespace auth_errors::database
