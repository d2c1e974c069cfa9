// Sends errors to a running service and polls them until they are analysed.
//
//   journey_client latency RATE SECONDS   RATE single errors per second; measures from the arrival
//   of
//                                         the 201 until another connection sees ANALYSIS_COMPLETED
//   journey_client throughput COUNT       as fast as batches are accepted, until the last is
//   analysed
//
// Prints one line of numbers. Requires BASE_URL, DATABASE_URL and INGEST_KEY.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <format>
#include <future>
#include <map>
#include <mutex>
#include <print>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <json/reader.h>
#include <json/value.h>

#include "domain/identity/ids.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/http_client.h"
#include "tests/support/test_database.h"

namespace {

using namespace auth_errors;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 500;
constexpr std::size_t kTraceBytes = 2'000;
constexpr auto kPatience = 5min;
// Each poll is a primary key lookup. Polling less often would add to the measured latency.
constexpr auto kPollInterval = 1ms;
// The first requests find statements unprepared and connections unused.
constexpr auto kWarmUp = 1s;

std::string required(const char* name) {
  const auto value = tests::environmentVariable(name);
  if (!value) {
    throw std::runtime_error(std::format("{} is not set: run it by ./dev bench journey", name));
  }
  return *value;
}

tests::HttpClient httpClient() {
  const std::string url = required("BASE_URL");
  const auto port = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  return tests::HttpClient(port, {{"Authorization", "Bearer " + required("INGEST_KEY")}});
}

// Different in every run.
std::string bodyOf(std::size_t number) {
  static const std::string run = std::format("journey-{:08x}", std::random_device{}());
  return tests::ErrorBody{.requestId = std::format("{}-{}", run, number),
                          .stacktrace = tests::makeStacktrace(kTraceBytes, number % 100)}
      .json();
}

Json::Value answerOf(const tests::HttpClient::Result& result, int status) {
  if (!result || result->status != status) {
    throw std::runtime_error(result ? std::format("{}: {}", result->status, result->body)
                                    : result.error().message);
  }
  Json::Value value;
  std::istringstream(result->body) >> value;
  return value;
}

// Errors that are stored but not yet seen as analysed. The sender adds, the watcher removes.
class Waiting {
 public:
  void add(domain::ErrorId id, Clock::time_point since) {
    const std::scoped_lock lock(mutex_);
    since_.emplace(id, since);
  }
  // Formatted as elements of an SQL array.
  std::string ids() const {
    const std::scoped_lock lock(mutex_);
    std::string list;
    for (const auto& [id, since] : since_) {
      list += std::format("{}{}", list.empty() ? "" : ",", id);
    }
    return list;
  }
  Clock::time_point take(domain::ErrorId id) {
    const std::scoped_lock lock(mutex_);
    return since_.extract(id).mapped();
  }

 private:
  mutable std::mutex mutex_;
  std::map<domain::ErrorId, Clock::time_point> since_;
};

// Latency of each error in milliseconds; returns once all errors added before the stop have been
// seen.
std::vector<double> watch(const std::stop_token& sentAll, Waiting& waiting) {
  tests::PlainConnection sql(required("DATABASE_URL"));
  std::vector<double> times;
  const auto end = Clock::now() + kPatience;
  while (true) {
    const bool last = sentAll.stop_requested();
    const std::string ids = waiting.ids();
    if (ids.empty() && last) {
      return times;
    }
    if (Clock::now() > end) {
      throw std::runtime_error("still not analysed: " + ids);
    }
    if (!ids.empty()) {
      const auto rows = sql.queryText("SELECT id FROM auth_error WHERE id = ANY('{" + ids +
                                      "}'::bigint[]) AND status = 'ANALYSIS_COMPLETED'");
      const auto now = Clock::now();
      for (const auto& row : rows) {
        const auto since = waiting.take(domain::ErrorId(std::stoll(row.front().value_or(""))));
        times.push_back(std::chrono::duration<double, std::milli>(now - since).count());
      }
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

double percentile(std::span<const double> sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max(rank, std::size_t{1}) - 1];
}

// Prints count, p50, p95, p99 and max, and p50 and p99 of the HTTP responses.
void latency(double rate, double seconds) {
  Waiting waiting;
  std::stop_source sentAll;
  auto watching =
      std::async(std::launch::async, [&] { return watch(sentAll.get_token(), waiting); });
  std::vector<double> answers;
  tests::HttpClient client = httpClient();
  const auto began = Clock::now();
  const auto count =
      static_cast<std::size_t>(rate * (seconds + std::chrono::duration<double>(kWarmUp).count()));
  for (std::size_t number = 0; number < count; ++number) {
    const auto due = began + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(static_cast<double>(number) / rate));
    std::this_thread::sleep_until(due);
    const auto asked = Clock::now();
    const auto answer = client.post("/api/auth-errors", bodyOf(number), 10s);
    const auto answered = Clock::now();
    const domain::ErrorId id(answerOf(answer, 201)["authErrorId"].asInt64());
    if (due - began >= kWarmUp) {
      waiting.add(id, answered);
      answers.push_back(std::chrono::duration<double, std::milli>(answered - asked).count());
    }
  }
  sentAll.request_stop();
  std::vector<double> times = watching.get();
  std::ranges::sort(times);
  std::ranges::sort(answers);
  std::println("{} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", times.size(), percentile(times, 0.5),
               percentile(times, 0.95), percentile(times, 0.99), times.back(),
               percentile(answers, 0.5), percentile(answers, 0.99));
}

void sendBatches(std::size_t from, std::size_t to) {
  tests::HttpClient client = httpClient();
  for (std::size_t first = from; first < to; first += kBatch) {
    std::string body = "[";
    for (std::size_t number = first; number < std::min(first + kBatch, to); ++number) {
      body.append(number > first ? "," : "").append(bodyOf(number));
    }
    body += "]";
    for (const Json::Value& result :
         answerOf(client.post("/api/auth-errors/batch", body, 60s), 200)["results"]) {
      if (result["status"].asInt() != 201) {
        throw std::runtime_error("an entry of a batch was refused");
      }
    }
  }
}

// Prints errors per second: stored, and analysed.
void throughput(std::size_t count) {
  tests::PlainConnection sql(required("DATABASE_URL"));
  const std::string first = sql.queryValue("SELECT coalesce(max(id), 0) FROM auth_error");
  const auto began = Clock::now();
  auto half = std::async(std::launch::async, [&] { sendBatches(0, count / 2); });
  sendBatches(count / 2, count);
  half.get();
  const std::chrono::duration<double> stored = Clock::now() - began;
  // The newest is roughly the last to be analysed; counting all of them each time would be half of
  // the load.
  const auto open = [&](std::string_view limit) {
    return sql.queryValue(std::format(
        "SELECT count(*) FILTER (WHERE status <> 'ANALYSIS_COMPLETED') FROM (SELECT status FROM "
        "auth_error WHERE id > {} ORDER BY id DESC LIMIT {}) newest",
        first, limit));
  };
  while (open("1") != "0" || open("ALL") != "0") {
    if (Clock::now() - began > kPatience) {
      throw std::runtime_error("not all were analysed in time");
    }
    std::this_thread::sleep_for(20ms);
  }
  const std::chrono::duration<double> analysed = Clock::now() - began;
  std::println("{:.0f} {:.0f}", static_cast<double>(count) / stored.count(),
               static_cast<double>(count) / analysed.count());
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    if (arguments.size() == 3 && arguments[0] == "latency") {
      latency(std::stod(arguments[1]), std::stod(arguments[2]));
    } else if (arguments.size() == 2 && arguments[0] == "throughput") {
      throughput(std::stoul(arguments[1]));
    } else {
      throw std::runtime_error("journey_client latency RATE SECONDS | throughput COUNT");
    }
  } catch (const std::exception& error) {
    std::println(stderr, "{}", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
