#include "platform/messaging/publisher.h"

#include <algorithm>
#include <deque>
#include <format>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <amqpcpp.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/header_table.h"
#include "platform/messaging/link.h"
#include "platform/messaging/session.h"
#include "platform/telemetry/log.h"
#include "platform/workers/pending.h"

namespace auth_errors::messaging {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t kShortString = 255;
// Class, weight, body size and the frame around them.
constexpr std::size_t kContentHeaderOverhead = 20;

struct Call : workers::Pending {
  Call(trantor::EventLoop& loop, std::vector<Publication> all)
      : Pending(loop),
        publications(std::move(all)),
        results(publications.size(), PublishResult::unavailable),
        open(publications.size()) {}

  void answer(std::size_t index, PublishResult result) {
    if (done()) {
      return;
    }
    results[index] = result;
    if (--open == 0) {
      complete();
    }
  }

  std::vector<Publication> publications;
  std::vector<PublishResult> results;
  std::size_t open;      // not answered yet
  std::size_t next = 0;  // to be sent next
};

struct DepthQuery : workers::Pending {
  using Pending::Pending;

  std::unique_ptr<AMQP::Channel> channel;
  std::optional<std::uint32_t> depth;
};

struct InFlight {
  std::shared_ptr<Call> call;
  std::size_t index = 0;
  Deadline sentAt;
  bool returned = false;

  [[nodiscard]] const Publication& publication() const { return call->publications[index]; }
};

void fill(AMQP::Envelope& envelope, const Message& message) {
  envelope.setPersistent();
  if (!message.messageId.empty()) {
    envelope.setMessageID(message.messageId);
  }
  if (!message.type.empty()) {
    envelope.setTypeName(message.type);
  }
  if (!message.contentType.empty()) {
    envelope.setContentType(message.contentType);
  }
  if (message.timestamp > 0) {
    envelope.setTimestamp(static_cast<std::uint64_t>(message.timestamp));
  }
  if (!message.headers.empty()) {
    envelope.setHeaders(encodeHeaders(message.headers));
  }
}

// Detects what AMQP-CPP would send as a corrupt stream, at the cost of all other messages.
const char* findFault(const Publication& publication, const AMQP::Envelope& envelope,
                      std::uint32_t maxFrame) {
  const auto tooLong = [](std::string_view text) { return text.size() > kShortString; };
  const auto& [to, message] = publication;
  if (tooLong(to.exchange.text()) || tooLong(to.routingKey)) {
    return "its address is too long";
  }
  if (tooLong(message.messageId) || tooLong(message.type) || tooLong(message.contentType)) {
    return "one of its properties is too long";
  }
  if (std::ranges::any_of(message.headers,
                          [&](const auto& header) { return tooLong(header.first); })) {
    return "the name of one of its headers is too long";
  }
  if (maxFrame != 0 && envelope.MetaData::size() + kContentHeaderOverhead > maxFrame) {
    return "its headers are too large";
  }
  return nullptr;
}

}  // namespace

class PublisherCore : public LinkOwner, public std::enable_shared_from_this<PublisherCore> {
 public:
  PublisherCore(trantor::EventLoop& loop, Publisher::Options options)
      : loop_(loop),
        window_(std::max<std::size_t>(options.window, 1)),
        confirmPatience_(options.confirmPatience),
        deadlines_(std::make_shared<workers::Deadlines>(loop)),
        link_(std::make_shared<Link>(loop, std::move(options.broker), std::move(options.topology),
                                     std::move(options.onState))) {}

  void start() {
    link_->start(weak_from_this());
    patienceTimer_ = loop_.runEvery(std::chrono::duration<double>(confirmPatience_).count() / 2,
                                    [weak = weak_from_this()] {
                                      if (const auto self = weak.lock()) {
                                        self->dropIfOverdue();
                                      }
                                    });
  }

  void close() {
    if (const auto timer = std::exchange(patienceTimer_, std::nullopt)) {
      loop_.invalidateTimer(*timer);
    }
    link_->close();
    // The end of the session is already queued and needs the owner of its channels.
    loop_.queueInLoop([self = shared_from_this()] {});
  }

  void declareAgain(std::string why) {
    loop_.assertInLoopThread();
    if (link_->state() == BrokerState::ready) {
      session_->drop(std::move(why));
    }
  }

  [[nodiscard]] const Link& link() const { return *link_; }
  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }

  std::shared_ptr<Call> publish(std::vector<Publication> publications, Deadline deadline) {
    loop_.assertInLoopThread();
    auto call = std::make_shared<Call>(loop_, std::move(publications));
    if (call->open == 0 || deadline <= std::chrono::steady_clock::now() ||
        link_->state() != BrokerState::ready) {
      call->complete();
      return call;
    }
    call->startClock(deadlines_, deadline);
    waiting_.push_back(call);
    pump();
    return call;
  }

  std::shared_ptr<DepthQuery> depth(const QueueName& queue, Deadline deadline) {
    loop_.assertInLoopThread();
    auto query = std::make_shared<DepthQuery>(loop_);
    if (queue.text().size() > kShortString || deadline <= std::chrono::steady_clock::now() ||
        link_->state() != BrokerState::ready) {
      query->complete();
      return query;
    }
    query->startClock(deadlines_, deadline);
    query->channel = session_->makeChannel();
    queries_.insert(query);
    // Asking for a missing queue closes only this channel.
    const std::weak_ptr<DepthQuery> weak = query;
    query->channel->onError([weak](const char* /*reason*/) {
      if (const auto asked = weak.lock()) {
        asked->complete();
      }
    });
    query->channel->declareQueue(queue.text(), AMQP::passive)
        .onSuccess([weak](const std::string& /*name*/, std::uint32_t messages,
                          std::uint32_t /*consumers*/) {
          if (const auto asked = weak.lock()) {
            asked->depth = messages;
            asked->complete();
          }
        });
    return query;
  }
  void endDepth(const std::shared_ptr<DepthQuery>& query) {
    queries_.erase(query);
    query->channel.reset();
  }

  void onDeclared(Session& session) override {
    session_ = session.shared_from_this();
    channel_ = session.makeChannel();
    lastTag_ = 0;
    const std::weak_ptr<PublisherCore> weak = weak_from_this();
    // Also if the broker refuses a single message, e.g. for its size: if it is published
    // repeatedly, that is logged repeatedly.
    channel_->onError([&session](const char* reason) {
      session.drop(std::format("publishing ended: {}", reason));
    });
    const auto call = [weak, &session](auto method, auto&&... arguments) {
      session.guarded([&] {
        if (const auto self = weak.lock()) {
          ((*self).*method)(arguments...);
        }
      });
    };
    channel_->recall().onReceived(
        [call](const AMQP::Message& message, std::int16_t /*code*/, const std::string& /*text*/) {
          call(&PublisherCore::onReturned, message);
        });
    channel_->confirmSelect()
        .onSuccess([call] { call(&PublisherCore::onConfirming); })
        .onAck([call](std::uint64_t tag, bool multiple) {
          call(&PublisherCore::onAnswer, tag, multiple, PublishResult::confirmed);
        })
        .onNack([call](std::uint64_t tag, bool multiple, bool /*requeue*/) {
          call(&PublisherCore::onAnswer, tag, multiple, PublishResult::nacked);
        });
  }

  void onUnblocked() override { pump(); }

  void onLost() override {
    channel_.reset();
    for (const auto& query : std::exchange(queries_, {})) {
      query->channel.reset();
      query->complete();
    }
    session_.reset();
    for (const auto& [tag, message] : std::exchange(inFlight_, {})) {
      message.call->complete();
    }
    for (const auto& call : std::exchange(waiting_, {})) {
      call->complete();
    }
  }

 private:
  void onConfirming() { link_->setReady(); }

  // Precedes the confirm of the same message, which alone completes it.
  void onReturned(const AMQP::Message& message) {
    const auto found = std::ranges::find_if(inFlight_, [&message](const auto& entry) {
      const auto& [tag, sent] = entry;
      const Publication& publication = sent.publication();
      return !sent.returned && publication.message.messageId == message.messageID() &&
             publication.to.exchange.text() == message.exchange() &&
             publication.to.routingKey == message.routingkey();
    });
    if (found != inFlight_.end()) {
      found->second.returned = true;
    }
  }

  void onAnswer(std::uint64_t tag, bool multiple, PublishResult result) {
    // 0 with `multiple` means all of them.
    const auto end = multiple && tag == 0 ? inFlight_.end() : inFlight_.upper_bound(tag);
    auto entry = multiple ? inFlight_.begin() : inFlight_.find(tag);
    while (entry != inFlight_.end() && entry != end) {
      const InFlight& sent = entry->second;
      const bool unroutable = sent.returned && result == PublishResult::confirmed;
      sent.call->answer(sent.index, unroutable ? PublishResult::returned : result);
      entry = inFlight_.erase(entry);
    }
    pump();
  }

  void dropIfOverdue() {
    const auto now = std::chrono::steady_clock::now();
    // A blocked broker is slow to confirm, and has announced it.
    if (link_->state() == BrokerState::ready && !inFlight_.empty() &&
        now - inFlight_.begin()->second.sentAt > confirmPatience_) {
      session_->drop("the broker does not confirm messages");
    }
  }

  // Sends waiting messages, up to the window.
  void pump() {
    while (!waiting_.empty() && inFlight_.size() < window_ &&
           link_->state() == BrokerState::ready && !session_->ended()) {
      const auto call = waiting_.front();
      if (call->done() || call->next == call->publications.size()) {
        waiting_.pop_front();
        continue;
      }
      send(call, call->next++);
    }
  }

  void send(const std::shared_ptr<Call>& call, std::size_t index) {
    const Publication& publication = call->publications[index];
    const std::string& body = publication.message.body;
    AMQP::Envelope envelope(body.data(), body.size());
    fill(envelope, publication.message);
    if (const char* fault = findFault(publication, envelope, session_->maxFrame())) {
      telemetry::log(telemetry::LogLevel::error, "messaging.message_unsendable",
                     {{"message_id", publication.message.messageId.substr(0, kShortString)},
                      {"reason", fault}});
      call->answer(index, PublishResult::unsendable);
      return;
    }
    inFlight_.emplace_hint(
        inFlight_.end(), ++lastTag_,
        InFlight{.call = call, .index = index, .sentAt = std::chrono::steady_clock::now()});
    if (!channel_->publish(publication.to.exchange.text(), publication.to.routingKey, envelope,
                           AMQP::mandatory)) {
      session_->drop("a message could not be passed to the connection");
    }
  }

  trantor::EventLoop& loop_;
  std::size_t window_;
  std::chrono::milliseconds confirmPatience_;
  std::optional<trantor::TimerId> patienceTimer_;
  std::shared_ptr<workers::Deadlines> deadlines_;
  std::shared_ptr<Link> link_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<AMQP::Channel> channel_;
  std::uint64_t lastTag_ = 0;
  std::map<std::uint64_t, InFlight> inFlight_;
  std::deque<std::shared_ptr<Call>> waiting_;
  std::set<std::shared_ptr<DepthQuery>> queries_;
};

namespace {

drogon::Task<std::vector<PublishResult>> publishOn(std::shared_ptr<PublisherCore> core,
                                                   std::vector<Publication> publications,
                                                   Deadline deadline) {
  const auto call = core->publish(std::move(publications), deadline);
  co_await workers::Answered(call);
  co_return call->results;
}

// Also when the coroutine is destroyed before the answer.
struct EndOfDepth {
  const std::shared_ptr<PublisherCore>& core;
  const std::shared_ptr<DepthQuery>& query;

  ~EndOfDepth() { core->endDepth(query); }
};

drogon::Task<std::optional<std::uint32_t>> depthOn(std::shared_ptr<PublisherCore> core,
                                                   QueueName queue, Deadline deadline) {
  const auto query = core->depth(queue, deadline);
  const EndOfDepth end{.core = core, .query = query};
  co_await workers::Answered(query);
  co_return query->depth;
}

}  // namespace

Publisher::Publisher(trantor::EventLoop& loop, Options options)
    : core_(std::make_shared<PublisherCore>(loop, std::move(options))) {
  loop.runInLoop([core = core_] { core->start(); });
}

Publisher::~Publisher() {
  auto& loop = core_->loop();
  loop.runInLoop([core = std::move(core_)] { core->close(); });
}

drogon::Task<std::vector<PublishResult>> Publisher::publish(std::vector<Publication> publications,
                                                            Deadline deadline) {
  return publishOn(core_, std::move(publications), deadline);
}

drogon::Task<std::optional<std::uint32_t>> Publisher::depth(QueueName queue, Deadline deadline) {
  return depthOn(core_, std::move(queue), deadline);
}

BrokerState Publisher::state() const { return core_->link().state(); }

std::string Publisher::problem() const { return core_->link().problem(); }

void Publisher::declareAgain(std::string why) { core_->declareAgain(std::move(why)); }

void Publisher::close() { core_->close(); }

}  // namespace auth_errors::messaging
