#include "platform/messaging/subscriber.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <format>
#include <map>
#include <utility>

#include <amqpcpp.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/link.h"
#include "platform/messaging/session.h"
#include "platform/telemetry/log.h"
#include "platform/workers/pending.h"

namespace auth_errors::messaging {
namespace {

constexpr auto kConsumerTag = "auth-errors";

Message messageOf(const AMQP::Message& received, Headers headers) {
  return {.messageId = received.messageID(),
          .type = received.typeName(),
          .contentType = received.contentType(),
          .timestamp = static_cast<std::int64_t>(received.timestamp()),
          .headers = std::move(headers),
          .body = received.bodySize() == 0 ? std::string()
                                           : std::string(received.body(), received.bodySize())};
}

}  // namespace

class SubscriberCore : public LinkOwner, public std::enable_shared_from_this<SubscriberCore> {
 public:
  SubscriberCore(trantor::EventLoop& loop, Subscriber::Options options)
      : loop_(loop),
        queue_(std::move(options.queue)),
        prefetch_(options.prefetch),
        onDelivery_(std::move(options.onDelivery)),
        deadlines_(std::make_shared<workers::Deadlines>(loop)),
        link_(std::make_shared<Link>(loop, std::move(options.broker), std::move(options.topology),
                                     std::move(options.onState))) {}

  void start() { link_->start(weak_from_this()); }

  void close() {
    acknowledge(Waiting::none);
    link_->close();
    // The end of the session is already queued and needs the owner of its channels.
    loop_.queueInLoop([self = shared_from_this()] {});
  }

  std::shared_ptr<workers::Pending> finish(std::chrono::steady_clock::time_point deadline) {
    loop_.assertInLoopThread();
    finishing_ = std::make_shared<workers::Pending>(loop_);
    acknowledge(Waiting::none);
    if (usable() && deadline > std::chrono::steady_clock::now()) {
      finishing_->startClock(deadlines_, deadline);
      link_->closeInOrder();
    } else {
      link_->close();
      finishing_->complete();
    }
    return finishing_;
  }
  void dropSession() {
    if (session_) {
      session_->drop("closed by us");
    }
  }

  void pause() {
    loop_.assertInLoopThread();
    if (std::exchange(paused_, true) || !usable()) {
      return;
    }
    channel_->cancel(kConsumerTag);
  }

  void settle(std::span<const DeliveryTag> tags) {
    loop_.assertInLoopThread();
    for (const auto& tag : tags) {
      const auto found = unsettled_.find(tag.tag);
      if (tag.connection == connection_ && found != unsettled_.end()) {
        found->second = true;
      }
    }
    if (std::exchange(acknowledgePlanned_, true)) {
      return;
    }
    loop_.queueInLoop([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->acknowledge(Waiting::few);
      }
    });
  }

  // `flags`: AMQP::requeue, or 0 for the dead-letter queue.
  void refuse(std::span<const DeliveryTag> tags, int flags) {
    loop_.assertInLoopThread();
    for (const auto& tag : tags) {
      // A settled message is only waiting for earlier ones.
      const auto found = unsettled_.find(tag.tag);
      if (tag.connection == connection_ && found != unsettled_.end() && !found->second &&
          usable()) {
        unsettled_.erase(found);
        channel_->reject(tag.tag, flags);
      }
    }
    // The message that held back others may be gone.
    settle({});
  }

  [[nodiscard]] const Link& link() const { return *link_; }
  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }

  void onDeclared(Session& session) override {
    session_ = session.shared_from_this();
    connection_ = session.number();
    channel_ = session.makeChannel();
    channel_->onError([&session](const char* reason) {
      session.drop(std::format("consuming ended: {}", reason));
    });
    if (paused_) {
      link_->setReady();
      return;
    }
    const std::weak_ptr<SubscriberCore> weak = weak_from_this();
    channel_->setQos(prefetch_);
    channel_->consume(queue_.text(), kConsumerTag)
        .onSuccess([weak, &session](const std::string& /*consumer*/) {
          session.guarded([&] {
            if (const auto self = weak.lock()) {
              self->link_->setReady();
            }
          });
        })
        .onCancelled([&session](const std::string& /*consumer*/) {
          session.drop("the broker cancelled the subscription: the queue was deleted or moved");
        })
        .onReceived(
            [weak, &session](const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
              session.guarded([&] {
                if (const auto self = weak.lock()) {
                  self->onReceived(message, tag, redelivered);
                }
              });
            });
  }

  void onUnblocked() override {}

  void onLost() override {
    channel_.reset();
    session_.reset();
    connection_ = 0;
    unsettled_.clear();
    if (finishing_) {
      finishing_->complete();
    }
  }

 private:
  [[nodiscard]] bool usable() const { return channel_ && session_ && !session_->ended(); }

  void onReceived(const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
    Headers headers = session_->takeHeaders();
    if (paused_ || link_->state() == BrokerState::closed) {
      channel_->reject(tag, AMQP::requeue);
      return;
    }
    unsettled_.emplace_hint(unsettled_.end(), tag, false);
    try {
      onDelivery_({.tag = {.connection = connection_, .tag = tag},
                   .redelivered = redelivered,
                   .from = {.exchange = ExchangeName(message.exchange()),
                            .routingKey = message.routingkey()},
                   .message = messageOf(message, std::move(headers))});
    } catch (const std::exception& failure) {
      // The message stays unsettled, so the broker still has it.
      telemetry::log(telemetry::LogLevel::error, "messaging.callback_threw",
                     {{"reason", failure.what()}});
    }
  }

  // How many settled messages may wait behind an unsettled one.
  enum class Waiting : std::uint8_t { none, few };

  // Acknowledges up to the last settled message without an unsettled one before it. However, a slow
  // message must not let those settled behind it use up the prefetch, and at the end none may wait.
  void acknowledge(Waiting waiting) {
    acknowledgePlanned_ = false;
    std::uint64_t last = 0;
    while (!unsettled_.empty() && unsettled_.begin()->second) {
      last = unsettled_.begin()->first;
      unsettled_.erase(unsettled_.begin());
    }
    if (last != 0 && usable()) {
      channel_->ack(last, AMQP::multiple);
    }
    const auto settled =
        std::ranges::count_if(unsettled_, [](const auto& entry) { return entry.second; });
    if (usable() && settled > (waiting == Waiting::few ? prefetch_ / 2 : 0)) {
      std::erase_if(unsettled_, [this](const auto& entry) {
        if (entry.second) {
          channel_->ack(entry.first);
        }
        return entry.second;
      });
    }
  }

  trantor::EventLoop& loop_;
  QueueName queue_;
  std::uint16_t prefetch_;
  std::function<void(Delivery)> onDelivery_;
  std::shared_ptr<workers::Deadlines> deadlines_;
  std::shared_ptr<Link> link_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<AMQP::Channel> channel_;
  std::shared_ptr<workers::Pending> finishing_;
  std::uint64_t connection_ = 0;
  // By tag: whether it is settled. Messages that were given back are removed.
  std::map<std::uint64_t, bool> unsettled_;
  bool acknowledgePlanned_ = false;
  bool paused_ = false;
};

namespace {

drogon::Task<> finishOn(std::shared_ptr<SubscriberCore> core,
                        std::chrono::steady_clock::time_point deadline) {
  const auto finishing = core->finish(deadline);
  co_await workers::Answered(finishing);
  core->dropSession();
}

}  // namespace

Subscriber::Subscriber(trantor::EventLoop& loop, Options options)
    : core_(std::make_shared<SubscriberCore>(loop, std::move(options))) {
  loop.runInLoop([core = core_] { core->start(); });
}

Subscriber::~Subscriber() {
  auto& loop = core_->loop();
  loop.runInLoop([core = std::move(core_)] { core->close(); });
}

void Subscriber::settle(std::span<const DeliveryTag> tags) { core_->settle(tags); }

void Subscriber::reject(std::span<const DeliveryTag> tags) { core_->refuse(tags, 0); }

void Subscriber::giveBack(std::span<const DeliveryTag> tags) { core_->refuse(tags, AMQP::requeue); }

void Subscriber::pause() { core_->pause(); }

void Subscriber::close() { core_->close(); }

drogon::Task<> Subscriber::finish(std::chrono::steady_clock::time_point deadline) {
  return finishOn(core_, deadline);
}

BrokerState Subscriber::state() const { return core_->link().state(); }

std::string Subscriber::problem() const { return core_->link().problem(); }

}  // namespace auth_errors::messaging
