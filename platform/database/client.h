// A small pool of PostgreSQL connections on one event loop. Belongs to that loop: all calls except
// connected() are made on its thread, and coroutines resume there. Each await ends by its deadline,
// whatever happens to the server; lost connections are re-established automatically.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <drogon/utils/coroutine.h>

#include "platform/database/error.h"
#include "platform/database/parameters.h"
#include "platform/database/result.h"
#include "platform/database/statement.h"
#include "platform/database/types.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::database {

struct ClientOptions {
  std::string url;  // postgresql://…; TLS by its sslmode, several hosts by target_session_attrs
  std::string applicationName = "auth-errors";
  std::size_t connections = 1;
  std::size_t queueLimit = 1024;  // calls waiting for a free connection; more fail as unavailable

  std::chrono::milliseconds connectTimeout{5'000};
  std::chrono::milliseconds reconnectDelayMin{100};
  std::chrono::milliseconds reconnectDelayMax{5'000};
  // During an outage longer than this, waiting and new calls fail immediately instead of at their
  // deadlines.
  std::chrono::milliseconds failFastAfter{2'000};
  // How long the server may take to respond to a cancel before the connection is dropped.
  std::chrono::milliseconds cancelGrace{1'000};

  // Limits enforced by the server and the kernel, where our own deadlines have no effect.
  std::chrono::milliseconds statementTimeout{30'000};
  std::chrono::milliseconds lockTimeout{10'000};
  std::chrono::milliseconds idleInTransactionTimeout{30'000};
  std::chrono::milliseconds tcpUserTimeout{10'000};
  // Whether the server may use parallel workers.
  bool parallelPlans = true;
};

class Pool;
class TransactionLease;

// An open transaction with its own connection and a deadline for all its calls. Movable. Destroying
// it before commit() rolls back; nothing commits implicitly. After a statement that the server
// refused, the transaction can only be rolled back: as a whole, or with script() to a savepoint,
// from which it may continue. After a statement with unknown outcome it cannot continue.
class Transaction {
 public:
  Transaction(std::shared_ptr<TransactionLease> lease, Deadline deadline);
  ~Transaction();
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The values are encoded before it returns, so they need not outlive the call.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, const Values&... values) {
    return send(statement, encoded(values...));
  }
  // Several statements in one text, without parameters or results. They must not end the
  // transaction.
  [[nodiscard]] drogon::Task<void> script(std::string sql);
  // Returns only if the server confirmed the commit. Throws Failure::outcomeUnknown if the response
  // was lost, Failure::statement if the server rolled back instead.
  [[nodiscard]] drogon::Task<void> commit();
  // Never fails: if the server does not confirm in time, the connection is closed.
  [[nodiscard]] drogon::Task<void> rollback();

  [[nodiscard]] Deadline deadline() const { return deadline_; }
  // Sets the deadline of all following calls.
  void setDeadline(Deadline deadline) { deadline_ = deadline; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Parameters parameters);
  [[nodiscard]] const std::shared_ptr<TransactionLease>& open() const;

  std::shared_ptr<TransactionLease> lease_;
  Deadline deadline_;
};

// A connection reserved without a transaction, with a deadline for all its calls, for commands that
// cannot run in a transaction block. Its settings and advisory locks are released at the end.
// Movable.
class Session {
 public:
  Session(std::shared_ptr<TransactionLease> lease, Deadline deadline);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // After a call that timed out, the next one waits until the server has ended it, or fails with
  // the connection.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, const Values&... values) {
    return send(statement, encoded(values...));
  }
  // A single statement that PostgreSQL refuses in a transaction block; several statements in one
  // text would form one.
  [[nodiscard]] drogon::Task<void> script(std::string sql);

  void setDeadline(Deadline deadline) { deadline_ = deadline; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Parameters parameters);

  std::shared_ptr<TransactionLease> lease_;
  Deadline deadline_;
};

class Client;

// Whether a read failed because its deadline passed while the database was available.
bool ranOutOfTime(const Error& error, const Client& client, Deadline deadline);

// libpq sends PGTZ, PGDATESTYLE and PGGEQO to the server after our own options, which they would
// override. REQUIRES: no other threads exist yet.
void ignoreSessionEnvironment();

class Client {
 public:
  // Starts connecting immediately; can be constructed on any thread. Throws std::invalid_argument
  // on an invalid URL, without quoting it.
  Client(trantor::EventLoop& loop, ClientOptions options);
  // Closes; on another thread, asynchronously on the loop.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;

  // Calls get a free connection in the order in which they were awaited. The values are encoded
  // before it returns, so they need not outlive the call.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, Deadline deadline,
                                         const Values&... values) {
    return send(statement, deadline, encoded(values...));
  }
  [[nodiscard]] drogon::Task<Transaction> begin(Deadline deadline);
  [[nodiscard]] drogon::Task<Session> reserve(Deadline deadline);
  // Several statements in one text, without parameters or results, e.g. for migrations.
  [[nodiscard]] drogon::Task<void> script(std::string sql, Deadline deadline);

  // Whether at least one connection is up. Callable from any thread.
  [[nodiscard]] bool connected() const;

  // Closes every connection. Waiting calls fail as unavailable, sent ones as outcomeUnknown.
  void close();

  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Deadline deadline,
                                          Parameters parameters);

  trantor::EventLoop& loop_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace auth_errors::database
