// One call on its way: what to run, who has it now, and its outcome. Belongs to one event loop.
// A request completes once. Its coroutine is resumed from the loop's queue, never from inside the
// code that completed it, so that no state is half changed when foreign code runs.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "database/error.h"
#include "database/parameters.h"
#include "database/result.h"
#include "database/statement.h"
#include "database/types.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::database {

class Request;
class TransactionLease;

// Whoever has an unfinished request and can give it up when its deadline passes.
class RequestHolder {
 public:
  RequestHolder() = default;
  virtual ~RequestHolder() = default;
  RequestHolder(const RequestHolder&) = delete;
  RequestHolder& operator=(const RequestHolder&) = delete;
  RequestHolder(RequestHolder&&) = delete;
  RequestHolder& operator=(RequestHolder&&) = delete;

  virtual void expire(const std::shared_ptr<Request>& request) = 0;
};

// The deadlines of unfinished requests. One timer for all of them: trantor keeps a cancelled
// timer until it is due, which at thousands of requests a second would pile up.
class DeadlineQueue : public std::enable_shared_from_this<DeadlineQueue> {
 public:
  using Entries = std::multimap<Deadline, std::weak_ptr<Request>>;

  explicit DeadlineQueue(trantor::EventLoop& loop) : loop_(loop) {}

  void add(const std::shared_ptr<Request>& request);
  void remove(Entries::iterator entry) { entries_.erase(entry); }

 private:
  void arm();
  void sweep();

  trantor::EventLoop& loop_;
  Entries entries_;
  std::optional<Deadline> armedFor_;
};

class Request : public std::enable_shared_from_this<Request> {
 public:
  enum class Kind : std::uint8_t { run, script, begin, commit, rollback };

  Request(trantor::EventLoop& loop, Kind kind, Deadline deadline)
      : kind_(kind), deadline_(deadline), loop_(loop) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }
  [[nodiscard]] bool done() const { return done_; }

  void succeed(Result result = {});
  void fail(const Error& error);

  // For the coroutine that waits.
  void resumeWith(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  void forgetWaiter() { waiter_ = nullptr; }
  Result take();

  std::shared_ptr<const Statement> statement;  // run
  Parameters parameters;                       // run
  std::string sql;                             // all others
  std::shared_ptr<TransactionLease> lease;     // begin: gets the connection
  std::weak_ptr<RequestHolder> holder;
  // Something that may take effect was handed to libpq.
  bool sent = false;

 private:
  friend class DeadlineQueue;

  void complete();

  Kind kind_;
  Deadline deadline_;
  trantor::EventLoop& loop_;
  bool done_ = false;
  Result result_;
  std::exception_ptr failure_;
  std::coroutine_handle<> waiter_;
  std::shared_ptr<DeadlineQueue> deadlines_;
  DeadlineQueue::Entries::iterator deadlineEntry_;
};

// co_await Completion(request): the result, or the error as an exception. The awaiting coroutine
// may be destroyed while it waits.
class Completion {
 public:
  explicit Completion(std::shared_ptr<Request> request) : request_(std::move(request)) {}
  ~Completion() { request_->forgetWaiter(); }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  Completion(Completion&&) = delete;
  Completion& operator=(Completion&&) = delete;

  // NOLINTBEGIN(readability-identifier-naming): the language's own names
  [[nodiscard]] bool await_ready() const { return request_->done(); }
  void await_suspend(std::coroutine_handle<> waiter) { request_->resumeWith(waiter); }
  Result await_resume() { return request_->take(); }
  // NOLINTEND(readability-identifier-naming)

 private:
  std::shared_ptr<Request> request_;
};

}  // namespace auth_errors::database
