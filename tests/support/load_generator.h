// Load like that of real clients: each connection has its own thread, posts distinct auth errors
// and repeats the same requestId after a 503, a reset or a timeout until it is acknowledged. Any
// thread may read the counts and the summary. The same seed produces the same requests.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/api_keys.h"
#include "tests/support/http_client.h"
#include "tests/support/stored_errors.h"

namespace auth_errors::tests {

// AUTH_ERRORS_SEED, or a random seed; printed either way, so that a run can be repeated.
std::uint64_t testSeed();

struct LoadOptions {
  std::uint16_t port = 0;
  std::size_t connections = 64;
  std::uint64_t seed = 0;
  std::string requestIdPrefix = "load";
  std::chrono::milliseconds requestDeadline{7000};
  bool repeatUntilAcknowledged = true;
  // Acknowledged errors per thousand that are posted again, and must get the same id.
  unsigned repeatsPerThousand = 20;
  std::size_t stacktraceBytes = 1024;
  Headers headers = bearer(kIngestKey);
};

// An attempt that reached the service and ended neither with 2xx nor with 503.
struct Incident {
  std::string requestId;
  int status = 0;  // 0 for a transport fault
  std::optional<TransportFault> fault;
  std::string detail;
  Clock::time_point startedAt;
  std::optional<Clock::time_point> sentAt;
  Clock::time_point endedAt;
};

struct LoadCounts {
  std::uint64_t attempts = 0;
  std::uint64_t created = 0;     // 201
  std::uint64_t duplicates = 0;  // 200
  std::uint64_t refused = 0;     // 503
  std::uint64_t otherStatuses = 0;
  std::uint64_t transportFaults = 0;  // refused, reset, closed, malformed
  std::uint64_t unanswered = 0;       // not answered by the deadline
  std::uint64_t contradictions = 0;   // 2xx without an id, or with another id than before
};

struct LoadSummary {
  LoadCounts counts;
  std::vector<AcknowledgedError> acknowledged;  // each requestId once
  std::vector<std::string> pending;             // sent but not acknowledged when the load ended
  std::vector<Incident> incidents;              // the first few hundred of each connection
  std::chrono::microseconds median{0};
  std::chrono::microseconds percentile99{0};
  std::chrono::microseconds slowest{0};

  [[nodiscard]] std::string text() const;
};

class LoadGenerator {
 public:
  explicit LoadGenerator(LoadOptions options);  // starts at once
  ~LoadGenerator();
  LoadGenerator(const LoadGenerator&) = delete;
  LoadGenerator& operator=(const LoadGenerator&) = delete;
  LoadGenerator(LoadGenerator&&) = delete;
  LoadGenerator& operator=(LoadGenerator&&) = delete;

  [[nodiscard]] LoadCounts counts() const;

  // Waits until `condition(counts())` holds; returns false at the deadline.
  template <typename Condition>
  bool waitUntil(Condition condition, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return condition(counts()); });
  }

  // Starts no new requestIds. Open ones are repeated until they are acknowledged or `drain` has
  // passed, then every connection ends; the summary's `pending` has those that were not
  // acknowledged.
  LoadSummary finish(std::chrono::milliseconds drain);

 private:
  struct Connection;

  void run(Connection& connection);
  void postUntilAcknowledged(Connection& connection, HttpClient& http, const std::string& requestId,
                             const std::string& body);
  void note(std::atomic<std::uint64_t>& counter);
  bool pauseBeforeRepeat(Connection& connection);

  LoadOptions options_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<bool> draining_{false};
  std::atomic<Clock::rep> drainUntil_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable stopped_;

  std::atomic<std::uint64_t> attempts_{0};
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> duplicates_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> otherStatuses_{0};
  std::atomic<std::uint64_t> transportFaults_{0};
  std::atomic<std::uint64_t> unanswered_{0};
  std::atomic<std::uint64_t> contradictions_{0};
};

}  // namespace auth_errors::tests
