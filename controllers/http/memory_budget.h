// Accounts for memory held on behalf of clients: received parts of requests, requests being served
// with their headers and bodies, responses queued behind others, and responses not yet sent. One
// budget for all connections; a ConnectionLoad is the memory held by the requests of one
// connection, a RequestLoad that of one request. Usable from any thread, except for the members of
// a RequestLoad.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "domain/values/names.h"

namespace auth_errors::controllers {

enum class Held : std::uint8_t { received, requests, answers, unsent };
constexpr auto namesOf(Held /*any*/) {
  return domain::nameTable<Held>({{Held::received, "received"},
                                  {Held::requests, "requests"},
                                  {Held::answers, "answers"},
                                  {Held::unsent, "unsent"}});
}

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t most) : most_(most) {}

  void hold(Held kind, std::size_t bytes) { of(kind) += bytes; }
  void release(Held kind, std::size_t bytes) { of(kind) -= bytes; }

  [[nodiscard]] std::size_t held(Held kind) const { return bytes_.at(std::to_underlying(kind)); }
  [[nodiscard]] std::size_t held() const {
    return std::accumulate(bytes_.begin(), bytes_.end(), std::size_t{0});
  }
  [[nodiscard]] bool exceeded() const { return held() > most_; }
  // Requests being served may use three quarters: they cannot be ended to make room for others.
  [[nodiscard]] bool hasRoomForRequests() const {
    return held(Held::requests) <= most_ / 4 * 3 && !exceeded();
  }

 private:
  std::atomic<std::size_t>& of(Held kind) { return bytes_.at(std::to_underlying(kind)); }

  std::size_t most_;
  std::array<std::atomic<std::size_t>, namesOf(Held{}).size()> bytes_{};
};

class ConnectionLoad {
 public:
  // `look` is called when a request has ended and its connection should be examined.
  ConnectionLoad(std::shared_ptr<MemoryBudget> budget, std::function<void()> look)
      : budget_(std::move(budget)), look_(std::move(look)) {}

  [[nodiscard]] std::size_t requests() const { return requests_; }
  // At least one of its requests may get a large response.
  [[nodiscard]] bool expectsLargeAnswer() const { return largeAnswers_ > 0; }
  // Memory held by the requests being served.
  [[nodiscard]] std::size_t requestBytes() const { return requestBytes_; }
  [[nodiscard]] std::size_t answers() const { return answers_; }

  // While waiting, `look` is called at the end of each request.
  void setWaiting(bool waiting) { waiting_ = waiting; }

 private:
  friend class RequestLoad;

  std::shared_ptr<MemoryBudget> budget_;
  std::function<void()> look_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> largeAnswers_ = 0;
  std::atomic<std::size_t> requestBytes_ = 0;
  std::atomic<std::size_t> answers_ = 0;
  std::atomic<bool> waiting_ = false;
};

// Exists from the request's last byte until its whole response was handed over. Used on the
// request's loop; destroyed on any.
class RequestLoad {
 public:
  // Requests and responses from this size on are accounted for individually.
  static constexpr std::size_t kLarge = std::size_t{64} * 1024;

  // The head, i.e. the request line and the headers, is held to the end.
  RequestLoad(std::shared_ptr<ConnectionLoad> connection, std::size_t bodyBytes,
              std::size_t headBytes = 0)
      : connection_(std::move(connection)), head_(headBytes) {
    ++connection_->requests_;
    change(0, head_);
    resizeBody(bodyBytes);
  }
  ~RequestLoad() {
    const bool large = isLarge() || answer_ >= kLarge;
    resizeBody(0);
    change(head_, 0);
    connection_->answers_ -= answer_;
    connection_->budget_->release(Held::answers, answer_);
    if (expectsLargeAnswer_) {
      --connection_->largeAnswers_;
    }
    --connection_->requests_;
    if (large || connection_->waiting_) {
      connection_->look_();
    }
  }
  RequestLoad(const RequestLoad&) = delete;
  RequestLoad& operator=(const RequestLoad&) = delete;
  RequestLoad(RequestLoad&&) = delete;
  RequestLoad& operator=(RequestLoad&&) = delete;

  // The body, or its decoded form, has another size from now on.
  void resizeBody(std::size_t bytes) { change(std::exchange(body_, bytes), bytes); }

  // Until the response is ready, no other request of the connection is started.
  void expectLargeAnswer() {
    if (!std::exchange(expectsLargeAnswer_, true)) {
      ++connection_->largeAnswers_;
    }
  }

  void holdAnswer(std::size_t bytes) {
    connection_->budget_->hold(Held::answers, bytes);
    connection_->answers_ += bytes;
    answer_ += bytes;
  }

  // A large request for which there is no room; the reserve is for small ones.
  [[nodiscard]] bool isTooMuch() const {
    return isLarge() && !connection_->budget_->hasRoomForRequests();
  }

 private:
  [[nodiscard]] bool isLarge() const { return head_ + body_ >= kLarge; }
  void change(std::size_t before, std::size_t now) {
    connection_->budget_->hold(Held::requests, now);
    connection_->budget_->release(Held::requests, before);
    connection_->requestBytes_ += now;
    connection_->requestBytes_ -= before;
  }

  std::shared_ptr<ConnectionLoad> connection_;
  std::size_t head_ = 0;
  std::size_t body_ = 0;
  std::size_t answer_ = 0;
  bool expectsLargeAnswer_ = false;
};

}  // namespace auth_errors::controllers
