// A call in progress: what to run, its current holder and its outcome. Belongs to one event loop.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "platform/database/error.h"
#include "platform/database/parameters.h"
#include "platform/database/result.h"
#include "platform/database/types.h"
#include "platform/workers/pending.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::database {

class Request;
class TransactionLease;

// A statement in the form sent to the server.
struct PreparedText {
  std::string name;  // empty: not prepared
  std::string sql;
};

// The holder of an unfinished request, which can give it up when its deadline passes.
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

class Request : public workers::Pending {
 public:
  enum class Kind : std::uint8_t { run, script, begin, reserve, commit, rollback };

  Request(trantor::EventLoop& loop, Kind kind, Deadline deadline)
      : Pending(loop), kind_(kind), deadline_(deadline) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }

  void succeed(Result result = {});
  void fail(const Error& error);

  // For the coroutine that waited.
  Result take();

  std::shared_ptr<const PreparedText> statement;  // run only
  Parameters parameters;                          // run only
  std::string sql;                                // all other kinds
  std::shared_ptr<TransactionLease> lease;        // begin, reserve: receives the connection
  std::weak_ptr<RequestHolder> holder;
  // Something that may take effect was passed to libpq.
  bool sent = false;

 private:
  void expire() override;

  Kind kind_;
  Deadline deadline_;
  Result result_;
  std::exception_ptr failure_;
};

// co_await Completion(request) returns the result or throws the error. The awaiting coroutine may
// be destroyed while it waits.
class Completion : public workers::Answered {
 public:
  explicit Completion(const std::shared_ptr<Request>& request)
      : Answered(request), request_(request) {}

  // NOLINTNEXTLINE(readability-identifier-naming): the language's own name
  Result await_resume() { return request_->take(); }

 private:
  std::shared_ptr<Request> request_;
};

}  // namespace auth_errors::database
