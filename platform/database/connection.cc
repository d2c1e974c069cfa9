#include "platform/database/connection.h"

#include <algorithm>
#include <format>
#include <type_traits>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "platform/database/cancellation.h"
#include "platform/database/server_error.h"
#include "platform/database/transaction_lease.h"
#include "platform/telemetry/log.h"

namespace auth_errors::database {
namespace {

static_assert(std::is_same_v<Oid, std::uint32_t>);

constexpr int kBinary = 1;
constexpr std::size_t kParameterLimit = 65'535;
constexpr auto kUndefinedStatement = "26000";
constexpr auto kFeatureNotSupported = "0A000";
constexpr auto kNoTransaction = "25P01";
constexpr auto kProgramLimit = "54000";

void logNotice(void* /*context*/, const PGresult* notice) {
  if (telemetry::logEnabled(telemetry::LogLevel::debug)) {
    telemetry::log(telemetry::LogLevel::debug, "database.notice",
                   {{"message", safeMessage(notice)}});
  }
}

// The server refused a prepared statement because its plan is no longer valid.
bool isPlanBroken(const PGresult* result) {
  const std::string sqlState = errorField(result, PG_DIAG_SQLSTATE);
  return sqlState == kUndefinedStatement ||
         (sqlState == kFeatureNotSupported &&
          errorField(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery");
}

std::string oneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  std::ranges::replace_if(text, [](char letter) { return letter == '\n' || letter == '\t'; }, ' ');
  return text;
}

}  // namespace

Connection::Connection(trantor::EventLoop& loop, std::shared_ptr<const ConnectionSettings> settings,
                       std::weak_ptr<ConnectionOwner> owner)
    : loop_(loop), settings_(std::move(settings)), owner_(std::move(owner)) {}

Connection::~Connection() {
  cancellation_.reset();
  watch_.reset();
  PQfinish(connection_);
}

void Connection::open(std::size_t attempt) {
  state_ = State::connecting;
  loop_.runAfter(std::chrono::duration<double>(settings_->connectTimeout()).count(),
                 [weak = weak_from_this(), epoch = epoch_] {
                   const auto self = weak.lock();
                   if (self && self->epoch_ == epoch) {
                     self->drop(self->lookup_
                                    ? "its host name was not resolved within the time limit"
                                    : "no connection within the time limit");
                   }
                 });
  if (settings_->names().empty()) {
    connectTo(settings_->reachable({}, attempt));
  } else {
    lookUpNames(attempt);
  }
}

void Connection::lookUpNames(std::size_t attempt) {
  lookup_ = std::make_unique<workers::HostLookup>(
      loop_, settings_->names(), settings_->connectTimeout() / 2,
      [weak = weak_from_this(), attempt](const std::vector<workers::HostLookup::Found>& found) {
        const auto self = weak.lock();
        if (!self || self->state_ != State::connecting) {
          return;
        }
        self->lookup_.reset();
        const auto servers = self->settings_->reachable(found, attempt);
        if (servers.empty()) {
          self->drop(std::format("cannot resolve the host {}: {}", self->settings_->names().front(),
                                 found.front().problem));
          return;
        }
        self->connectTo(servers);
      });
}

void Connection::connectTo(const std::vector<ServerAddress>& servers) {
  connection_ = settings_->startConnecting(servers);
  if (connection_ == nullptr) {
    drop("out of memory");
    return;
  }
  if (PQstatus(connection_) == CONNECTION_BAD) {
    drop(oneLine(PQerrorMessage(connection_)));
    return;
  }
  PQsetNoticeReceiver(connection_, logNotice, nullptr);
  try {
    watch(false, true);
  } catch (const std::exception& failure) {
    drop(failure.what());
  }
}

void Connection::watch(bool read, bool write) {
  watch_ = std::make_unique<SocketWatch>(loop_, PQsocket(connection_), [this] { onEvent(); });
  watch_->want(read, write);
}

void Connection::continueConnecting() {
  // PQconnectPoll may replace the socket (another host, a retry without TLS), even by one with the
  // same number, so the old watch is removed first.
  watch_.reset();
  switch (PQconnectPoll(connection_)) {
    case PGRES_POLLING_READING:
      watch(true, false);
      break;
    case PGRES_POLLING_WRITING:
      watch(false, true);
      break;
    case PGRES_POLLING_OK:
      finishConnecting();
      break;
    default:
      drop(oneLine(PQerrorMessage(connection_)));
  }
}

void Connection::finishConnecting() {
  if (PQsetnonblocking(connection_, 1) != 0) {
    drop("the socket can't be made non-blocking");
    return;
  }
  ++epoch_;
  watch(true, false);
  state_ = State::idle;
  wasReady_ = true;
  if (const auto owner = owner_.lock()) {
    owner->onReady(*this);
  }
}

void Connection::onEvent() {
  const auto self = shared_from_this();
  try {
    if (state_ == State::connecting) {
      continueConnecting();
      return;
    }
    const bool alive = PQconsumeInput(connection_) == 1;
    collectNotifications();
    // Even on a dead connection: the whole reply may have arrived before it was lost.
    collectResults();
    if (state_ == State::closed) {
      return;
    }
    if (!alive || PQstatus(connection_) == CONNECTION_BAD) {
      drop("connection lost");
      return;
    }
    flush();
  } catch (const std::exception& failure) {
    drop(failure.what());
  }
}

void Connection::collectNotifications() {
  struct FreeNotification {
    void operator()(PGnotify* notification) const { PQfreemem(notification); }
  };
  using Notification = std::unique_ptr<PGnotify, FreeNotification>;
  while (const auto notification = Notification(PQnotifies(connection_))) {
    if (const auto owner = owner_.lock()) {
      owner->onNotification(notification->extra);
    }
  }
}

void Connection::collectResults() {
  const auto expectsReply = [this] {
    return state_ == State::working || (state_ == State::draining && !replyComplete_);
  };
  while (expectsReply() && PQisBusy(connection_) == 0) {
    ResultHandle result(PQgetResult(connection_));
    if (result) {
      takeResult(std::move(result));
    } else {
      onReply();
    }
  }
}

void Connection::takeResult(ResultHandle result) {
  switch (PQresultStatus(result.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      result_ = std::move(result);
      return;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      // libpq would return this same result forever; the session cannot continue without a copy.
      if (current_) {
        current_->fail(Error(Failure::statement, "COPY is not supported", kFeatureNotSupported));
      }
      drop("COPY was asked for");
      return;
    default:
      break;
  }
  if (endsSession(result.get())) {
    sessionLost_ = true;
    if (sessionEnd_.empty()) {
      sessionEnd_ = errorField(result.get(), PG_DIAG_SQLSTATE);
    }
  } else if (!error_) {
    planBroken_ = isPlanBroken(result.get());
    error_ = toError(result.get());
  }
}

void Connection::onReply() {
  if (sessionLost_ || PQstatus(connection_) == CONNECTION_BAD) {
    drop("connection lost");
    return;
  }
  if (state_ == State::draining) {
    replyComplete_ = true;
    // A cancel request in flight could hit the next statement.
    if (!cancellation_) {
      settle();
    }
    return;
  }
  switch (step_) {
    case Step::closing:
      if (error_) {
        finish(std::move(error_));
        return;
      }
      prepared_.erase(current_->statement->name);
      sendRun();
      break;
    case Step::preparing:
      if (error_) {
        finish(std::move(error_));
        return;
      }
      prepared_[current_->statement->name] = {.types = current_->parameters.types()};
      sendRun();
      break;
    case Step::executing:
      onExecuted();
      break;
  }
}

void Connection::onExecuted() {
  if (!error_) {
    if (current_->kind() == Request::Kind::commit &&
        std::string_view(PQcmdStatus(result_.get())) != "COMMIT") {
      error_ = Error(Failure::statement, "the transaction had failed and was rolled back",
                     kFailedTransaction);
    } else if (leased_ && !inSession_ && PQtransactionStatus(connection_) == PQTRANS_IDLE &&
               (current_->kind() == Request::Kind::run ||
                current_->kind() == Request::Kind::script)) {
      error_ = Error(Failure::statement, "the statement ended its transaction", kNoTransaction);
    }
  } else if (planBroken_ && current_->kind() == Request::Kind::run &&
             !current_->statement->name.empty()) {
    prepared_[current_->statement->name].stale = true;
    if (!leased_ && !prepareAgainTried_) {
      prepareAgainTried_ = true;
      current_->sent = false;
      sendRun();
      return;
    }
  }
  finish(std::move(error_));
}

// Ends current_. Its coroutine resumes later, from the loop's queue.
void Connection::finish(std::optional<Error> error) {
  const auto request = std::move(current_);
  Result result;
  if (!error) {
    if (request->lease) {
      leased_ = true;
      inSession_ = request->kind() == Request::Kind::reserve;
      request->lease->attach(shared_from_this());
    }
    result = Result(std::make_shared<const Result::Data>(std::move(result_)));
  }
  settle();
  if (error) {
    request->fail(*error);
  } else {
    request->succeed(std::move(result));
  }
}

void Connection::submit(const std::shared_ptr<Request>& request) {
  if (state_ == State::closed) {
    request->fail(Error(Failure::unavailable, "the connection is gone"));
    return;
  }
  if (state_ == State::idle) {
    start(request);
    return;
  }
  request->holder = weak_from_this();
  queue_.push_back(request);
}

void Connection::start(const std::shared_ptr<Request>& request) {
  state_ = State::working;
  ++epoch_;
  current_ = request;
  current_->holder = weak_from_this();
  prepareAgainTried_ = false;
  send();
}

void Connection::send() {
  if (current_->kind() == Request::Kind::run) {
    sendRun();
    return;
  }
  step_ = Step::executing;
  result_.reset();
  error_.reset();
  planBroken_ = false;
  // An unanswered BEGIN or ROLLBACK has no effect beyond its session.
  current_->sent =
      current_->kind() == Request::Kind::script || current_->kind() == Request::Kind::commit;
  if (PQsendQuery(connection_, current_->sql.c_str()) == 0) {
    drop("a statement could not be sent");
    return;
  }
  flush();
}

// Sends the next step that the statement needs on this connection.
void Connection::sendRun() {
  result_.reset();
  error_.reset();
  planBroken_ = false;
  const PreparedText& statement = *current_->statement;
  const Parameters& parameters = current_->parameters;
  if (parameters.size() > kParameterLimit) {
    finish(Error(Failure::statement, "too many parameters", kProgramLimit));
    return;
  }
  const auto known = prepared_.find(statement.name);
  const bool isKnown = known != prepared_.end();
  const bool isUsable =
      isKnown && !known->second.stale && known->second.types == parameters.types();
  bool sent = false;
  if (statement.name.empty() || isUsable) {
    step_ = Step::executing;
    sent = sendExecution();
  } else if (isKnown) {
    step_ = Step::closing;
    sent = PQsendClosePrepared(connection_, statement.name.c_str()) == 1;
  } else {
    step_ = Step::preparing;
    sent = PQsendPrepare(connection_, statement.name.c_str(), statement.sql.c_str(),
                         static_cast<int>(parameters.size()), parameters.types().data()) == 1;
  }
  if (!sent) {
    drop("a statement could not be sent");
    return;
  }
  flush();
}

bool Connection::sendExecution() {
  const PreparedText& statement = *current_->statement;
  const Parameters& parameters = current_->parameters;
  const std::size_t count = parameters.size();
  std::vector<const char*> values(count);
  std::vector<int> lengths(count);
  const std::vector<int> formats(count, kBinary);
  for (std::size_t index = 0; index < count; ++index) {
    values[index] = parameters.bytes(index);
    lengths[index] = parameters.length(index);
  }
  current_->sent = true;
  if (statement.name.empty()) {
    return PQsendQueryParams(connection_, statement.sql.c_str(), static_cast<int>(count),
                             parameters.types().data(), values.data(), lengths.data(),
                             formats.data(), kBinary) == 1;
  }
  return PQsendQueryPrepared(connection_, statement.name.c_str(), static_cast<int>(count),
                             values.data(), lengths.data(), formats.data(), kBinary) == 1;
}

void Connection::flush() {
  const int rest = PQflush(connection_);
  if (rest < 0) {
    drop("connection lost");
    return;
  }
  watch_->want(true, rest > 0);
}

// Continues after the last operation has ended.
void Connection::settle() {
  current_.reset();
  result_.reset();
  error_.reset();
  replyComplete_ = false;
  ++epoch_;
  const bool tidiedUp = std::exchange(tidyingUp_, false);
  state_ = State::idle;
  if (!queue_.empty()) {
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    start(next);
    return;
  }
  if (leased_) {
    return;
  }
  if (PQtransactionStatus(connection_) != PQTRANS_IDLE) {
    if (tidiedUp) {
      drop("a transaction can't be rolled back");
    } else {
      rollBack();
    }
    return;
  }
  if (std::exchange(inSession_, false)) {
    endSession();
    return;
  }
  if (const auto owner = owner_.lock()) {
    owner->onFree(*this);
  }
}

void Connection::rollBack() { tidyUp("ROLLBACK"); }

// Restores the initial state of the connection for its next user.
void Connection::endSession() { tidyUp("RESET ALL; SELECT pg_advisory_unlock_all()"); }

void Connection::tidyUp(std::string sql) {
  const auto request = std::make_shared<Request>(loop_, Request::Kind::rollback, Deadline::max());
  request->sql = std::move(sql);
  start(request);
  if (state_ == State::working) {
    tidyingUp_ = true;
    dropAfter(settings_->cancelGrace(), "no answer to a rollback");
  }
}

void Connection::expire(const std::shared_ptr<Request>& request) {
  const auto self = shared_from_this();
  if (request == current_) {
    giveUpCurrent("deadline passed while the statement ran");
    return;
  }
  if (std::erase(queue_, request) != 0) {
    request->fail(Error(Failure::unavailable, "deadline passed while waiting for a connection"));
  }
}

void Connection::giveUpCurrent(const std::string& reason) {
  const auto request = std::move(current_);
  if (step_ != Step::executing) {
    prepared_[request->statement->name].stale = true;
  }
  state_ = State::draining;
  replyComplete_ = false;
  ++epoch_;
  cancellation_ = std::make_shared<Cancellation>(loop_, connection_, [this] { cancelFinished(); });
  cancellation_->start();
  dropAfter(settings_->cancelGrace(), "no answer to a cancelled statement");
  request->fail(lostError(*request, reason));
}

void Connection::cancelFinished() {
  const auto self = shared_from_this();
  cancellation_.reset();
  if (state_ == State::draining && replyComplete_) {
    settle();
  }
}

void Connection::endLease() {
  const auto self = shared_from_this();
  if (!std::exchange(leased_, false) || state_ == State::closed) {
    return;
  }
  for (const auto& request : std::exchange(queue_, {})) {
    request->fail(Error(Failure::unavailable, "the transaction has ended"));
  }
  if (state_ == State::idle) {
    settle();
  } else if (state_ == State::working) {
    giveUpCurrent("the transaction was abandoned while the statement ran");
  }
}

void Connection::dropAfter(std::chrono::milliseconds grace, const std::string& reason) {
  loop_.runAfter(std::chrono::duration<double>(grace).count(),
                 [weak = weak_from_this(), epoch = epoch_, reason] {
                   const auto self = weak.lock();
                   if (self && self->epoch_ == epoch) {
                     self->drop(reason);
                   }
                 });
}

Error Connection::lostError(const Request& request, const std::string& reason) const {
  return {request.sent ? Failure::outcomeUnknown : Failure::unavailable, reason, sessionEnd_};
}

void Connection::drop(const std::string& reason) {
  if (state_ == State::closed) {
    return;
  }
  const auto self = shared_from_this();
  state_ = State::closed;
  ++epoch_;
  lookup_.reset();
  watch_.reset();
  cancellation_.reset();
  PQfinish(std::exchange(connection_, nullptr));
  if (const auto request = std::move(current_)) {
    request->fail(lostError(*request, reason));
  }
  for (const auto& request : std::exchange(queue_, {})) {
    request->fail(Error(Failure::unavailable, reason));
  }
  if (const auto owner = owner_.lock()) {
    owner->onLost(*this, reason);
  }
}

}  // namespace auth_errors::database
