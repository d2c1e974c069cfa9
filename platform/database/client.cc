#include "platform/database/client.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "platform/database/pool.h"
#include "platform/database/transaction_lease.h"
#include "platform/telemetry/log.h"

namespace auth_errors::database {
namespace {

constexpr auto kNulByte = "22021";
constexpr std::string_view kQueryCancelled = "57014";

std::shared_ptr<Request> makeRun(trantor::EventLoop& loop, Pool& pool, const Statement& statement,
                                 Parameters parameters, Deadline deadline) {
  auto request = std::make_shared<Request>(loop, Request::Kind::run, deadline);
  request->statement = pool.intern(statement);
  request->parameters = std::move(parameters);
  return request;
}

std::shared_ptr<Request> makeText(trantor::EventLoop& loop, Request::Kind kind, std::string sql,
                                  Deadline deadline) {
  // libpq would treat it as the end of the text and run the statements before it.
  if (sql.contains('\0')) {
    throw Error(Failure::statement, "the SQL text has a NUL byte", kNulByte);
  }
  auto request = std::make_shared<Request>(loop, kind, deadline);
  request->sql = std::move(sql);
  return request;
}

drogon::Task<Result> submitToPool(std::shared_ptr<Pool> pool, std::shared_ptr<Request> request) {
  pool->submit(request);
  co_return co_await Completion(request);
}

drogon::Task<Result> submitToLease(std::shared_ptr<TransactionLease> lease,
                                   std::shared_ptr<Request> request) {
  const auto pool = lease->pool();
  if (!pool) {
    throw Error(Failure::unavailable, "the database client was destroyed");
  }
  if (lease->spoilt() && request->kind() != Request::Kind::rollback) {
    throw Error(Failure::statement, "the transaction has failed and can only be rolled back",
                kFailedTransaction);
  }
  pool->submitTo(*lease->connection(), request);
  try {
    co_return co_await Completion(request);
  } catch (const Error& error) {
    if (error.failure() == Failure::outcomeUnknown && !lease->connection()->inSession()) {
      lease->spoil();
    }
    throw;
  }
}

// Lease is the type that holds the connection exclusively from then on.
template <typename Lease>
drogon::Task<Lease> leaseFrom(std::shared_ptr<Pool> pool, std::shared_ptr<Request> request) {
  pool->submit(request);
  co_await Completion(request);
  co_return Lease(std::move(request->lease), request->deadline());
}

drogon::Task<Result> runOnLease(const std::shared_ptr<TransactionLease>& lease,
                                const Statement& statement, Parameters parameters,
                                Deadline deadline) {
  const auto pool = lease->pool();
  if (!pool) {
    throw Error(Failure::unavailable, "the database client was destroyed");
  }
  return submitToLease(lease,
                       makeRun(lease->loop(), *pool, statement, std::move(parameters), deadline));
}

drogon::Task<void> withoutResult(drogon::Task<Result> task) { co_await task; }

drogon::Task<void> rollBackOn(std::shared_ptr<TransactionLease> lease,
                              std::shared_ptr<Request> request) {
  try {
    co_await submitToLease(lease, std::move(request));
  } catch (const Error& error) {
    // The destructor of the lease rolls back or drops the connection.
    telemetry::log(telemetry::LogLevel::debug, "database.rollback_unconfirmed",
                   {{"reason", error.what()}});
  }
}

}  // namespace

TransactionLease::TransactionLease(trantor::EventLoop& loop, std::weak_ptr<Pool> pool)
    : loop_(loop), pool_(std::move(pool)) {}

TransactionLease::~TransactionLease() {
  if (!connection_) {
    return;
  }
  if (loop_.isInLoopThread()) {
    connection_->endLease();
  } else {
    loop_.queueInLoop([connection = std::move(connection_)] { connection->endLease(); });
  }
}

Transaction::Transaction(std::shared_ptr<TransactionLease> lease, Deadline deadline)
    : lease_(std::move(lease)), deadline_(deadline) {}
Transaction::~Transaction() = default;
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;

drogon::Task<Result> Transaction::send(const Statement& statement, Parameters parameters) {
  return runOnLease(open(), statement, std::move(parameters), deadline_);
}

drogon::Task<void> Transaction::script(std::string sql) {
  const auto lease = open();
  return withoutResult(submitToLease(
      lease, makeText(lease->loop(), Request::Kind::script, std::move(sql), deadline_)));
}

drogon::Task<void> Transaction::commit() {
  auto lease = open();
  lease_.reset();
  auto request = makeText(lease->loop(), Request::Kind::commit, "COMMIT", deadline_);
  return withoutResult(submitToLease(std::move(lease), std::move(request)));
}

drogon::Task<void> Transaction::rollback() {
  auto lease = open();
  lease_.reset();
  auto request = makeText(lease->loop(), Request::Kind::rollback, "ROLLBACK", deadline_);
  return rollBackOn(std::move(lease), std::move(request));
}

const std::shared_ptr<TransactionLease>& Transaction::open() const {
  if (!lease_) {
    throw std::logic_error("the transaction has already ended");
  }
  return lease_;
}

Session::Session(std::shared_ptr<TransactionLease> lease, Deadline deadline)
    : lease_(std::move(lease)), deadline_(deadline) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

drogon::Task<Result> Session::send(const Statement& statement, Parameters parameters) {
  return runOnLease(lease_, statement, std::move(parameters), deadline_);
}

drogon::Task<void> Session::script(std::string sql) {
  return withoutResult(submitToLease(
      lease_, makeText(lease_->loop(), Request::Kind::script, std::move(sql), deadline_)));
}

Client::Client(trantor::EventLoop& loop, ClientOptions options)
    : loop_(loop), pool_(std::make_shared<Pool>(loop, std::move(options))) {
  loop_.runInLoop([pool = pool_] { pool->start(); });
}

Client::~Client() {
  loop_.runInLoop([pool = std::move(pool_)] { pool->close(); });
}

drogon::Task<Result> Client::send(const Statement& statement, Deadline deadline,
                                  Parameters parameters) {
  loop_.assertInLoopThread();
  return submitToPool(pool_, makeRun(loop_, *pool_, statement, std::move(parameters), deadline));
}

drogon::Task<Transaction> Client::begin(Deadline deadline) {
  auto request = makeText(loop_, Request::Kind::begin, "BEGIN", deadline);
  request->lease = std::make_shared<TransactionLease>(loop_, pool_);
  return leaseFrom<Transaction>(pool_, std::move(request));
}

drogon::Task<Session> Client::reserve(Deadline deadline) {
  auto request = makeText(loop_, Request::Kind::reserve, "SELECT 1", deadline);
  request->lease = std::make_shared<TransactionLease>(loop_, pool_);
  return leaseFrom<Session>(pool_, std::move(request));
}

drogon::Task<void> Client::script(std::string sql, Deadline deadline) {
  return withoutResult(
      submitToPool(pool_, makeText(loop_, Request::Kind::script, std::move(sql), deadline)));
}

bool ranOutOfTime(const Error& error, const Client& client, Deadline deadline) {
  const bool waitedInVain = error.sqlState().empty() && client.connected() &&
                            std::chrono::steady_clock::now() >= deadline;
  return waitedInVain || error.sqlState() == kQueryCancelled;
}

void ignoreSessionEnvironment() {
  for (const char* name : {"PGTZ", "PGDATESTYLE", "PGGEQO"}) {
    ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  }
}

bool Client::connected() const { return pool_->connected(); }

void Client::close() { pool_->close(); }

}  // namespace auth_errors::database
