// A small pool of PostgreSQL connections on one event loop. It belongs to that loop: every call but
// connected() is made on its thread, and coroutines resume there. Each await ends by its deadline,
// whatever happens to the server; lost connections come back by themselves.
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
  std::size_t queueLimit = 1024;  // waiting for a free connection; beyond it: unavailable

  std::chrono::milliseconds connectTimeout{5'000};
  std::chrono::milliseconds reconnectDelayMin{100};
  std::chrono::milliseconds reconnectDelayMax{5'000};
  // An outage longer than this fails waiting and new calls at once instead of at their deadlines.
  std::chrono::milliseconds failFastAfter{2'000};
  // How long the server may take to answer a cancelled statement before the connection is dropped.
  std::chrono::milliseconds cancelGrace{1'000};

  // Limits the server and the kernel keep, for what our own deadlines can't reach.
  std::chrono::milliseconds statementTimeout{30'000};
  std::chrono::milliseconds lockTimeout{10'000};
  std::chrono::milliseconds idleInTransactionTimeout{30'000};
  std::chrono::milliseconds tcpUserTimeout{10'000};
  // Whether the server may share a statement out to several of its processors.
  bool parallelPlans = true;
};

class Pool;
class TransactionLease;

// One open transaction, which has a connection for itself, and the deadline it was begun with for
// every call. Movable. A Transaction destroyed before commit() was called rolls back; nothing
// commits by itself. After a statement that the server refused only a rollback is left: of all of
// it, or by script() to a savepoint, from which it goes on. After one whose outcome is unknown
// there is no such way back.
class Transaction {
 public:
  Transaction(std::shared_ptr<TransactionLease> lease, Deadline deadline);
  ~Transaction();
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The values are encoded before it returns, so a task may be awaited after they are gone.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, const Values&... values) {
    return send(statement, encoded(values...));
  }
  // Several statements in one text, without parameters or results. It must not end the transaction.
  [[nodiscard]] drogon::Task<void> script(std::string sql);
  // Returns only if the server said that it committed. Failure::outcomeUnknown if that answer was
  // lost, Failure::statement if it rolled back instead.
  [[nodiscard]] drogon::Task<void> commit();
  // Never fails: what the server does not confirm in time ends with its connection.
  [[nodiscard]] drogon::Task<void> rollback();

  [[nodiscard]] Deadline deadline() const { return deadline_; }
  // For the calls that follow.
  void setDeadline(Deadline deadline) { deadline_ = deadline; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Parameters parameters);
  [[nodiscard]] const std::shared_ptr<TransactionLease>& open() const;

  std::shared_ptr<TransactionLease> lease_;
  Deadline deadline_;
};

// One connection for oneself without a transaction, with the deadline it was reserved with: for
// what can't run inside of one. The settings made and the advisory locks taken on it end with it.
// Movable.
class Session {
 public:
  Session(std::shared_ptr<TransactionLease> lease, Deadline deadline);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // After one that was given up the next one waits until the server has ended it, or fails with the
  // connection.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, const Values&... values) {
    return send(statement, encoded(values...));
  }
  // A single statement that PostgreSQL refuses inside a transaction; several in one text are one.
  [[nodiscard]] drogon::Task<void> script(std::string sql);

  void setDeadline(Deadline deadline) { deadline_ = deadline; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Parameters parameters);

  std::shared_ptr<TransactionLease> lease_;
  Deadline deadline_;
};

class Client;

// Did a read fail because its time was over, and not because the database is away?
bool ranOutOfTime(const Error& error, const Client& client, Deadline deadline);

// libpq sends PGTZ, PGDATESTYLE and PGGEQO to the server after our own options, which they would
// defeat. Call it before there are other threads.
void ignoreSessionEnvironment();

class Client {
 public:
  // Starts to connect at once; may be made on any thread. Throws std::invalid_argument, without
  // quoting it, on a bad URL.
  Client(trantor::EventLoop& loop, ClientOptions options);
  // Closes. Off the loop's thread it only asks the loop to.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;

  // Calls wait for a free connection in the order they were awaited. The values are encoded before
  // it returns, so a task may be awaited after they are gone.
  template <typename... Values>
  [[nodiscard]] drogon::Task<Result> run(const Statement& statement, Deadline deadline,
                                         const Values&... values) {
    return send(statement, deadline, encoded(values...));
  }
  [[nodiscard]] drogon::Task<Transaction> begin(Deadline deadline);
  [[nodiscard]] drogon::Task<Session> reserve(Deadline deadline);
  // Several statements in one text, without parameters or results, e.g. for migrations.
  [[nodiscard]] drogon::Task<void> script(std::string sql, Deadline deadline);

  // Is at least one connection up? Any thread may ask.
  [[nodiscard]] bool connected() const;

  // Ends every connection. Waiting calls fail as unavailable, sent ones as outcomeUnknown.
  void close();

  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }

 private:
  [[nodiscard]] drogon::Task<Result> send(const Statement& statement, Deadline deadline,
                                          Parameters parameters);

  trantor::EventLoop& loop_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace auth_errors::database
