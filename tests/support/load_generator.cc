#include "tests/support/load_generator.h"

#include <algorithm>
#include <format>
#include <iostream>
#include <limits>
#include <random>
#include <string_view>
#include <utility>

#include <json/json.h>

#include "domain/identity/ids.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr const char* kPath = "/api/auth-errors";
constexpr std::size_t kMaxIncidents = 300;
constexpr std::size_t kMaxDetail = 300;

struct Acknowledgement {
  domain::ErrorId authErrorId;
  bool duplicate = false;
};

std::optional<Acknowledgement> readAcknowledgement(const HttpResponse& response,
                                                   const std::string& requestId) {
  Json::Value root;
  Json::CharReaderBuilder builder;
  Json::CharReaderBuilder::strictMode(&builder.settings_);
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  const char* begin = response.body.data();
  if (!reader->parse(begin, begin + response.body.size(), &root, nullptr) || !root.isObject() ||
      !root["authErrorId"].isInt64() || root["requestId"] != requestId ||
      !root["duplicate"].isBool() || root["duplicate"].asBool() != (response.status == 200)) {
    return std::nullopt;
  }
  return Acknowledgement{.authErrorId = idFrom<domain::ErrorId>(root["authErrorId"]),
                         .duplicate = root["duplicate"].asBool()};
}

}  // namespace

// Written by the connection's own thread; read by finish() after that thread has ended.
struct LoadGenerator::Connection {
  Connection(std::size_t ordinal, std::uint64_t seed) : index(ordinal), random(seed + ordinal) {}

  std::size_t index;
  std::mt19937_64 random;
  std::vector<AcknowledgedError> acknowledged;
  std::vector<std::string> pending;
  std::vector<Incident> incidents;
  std::vector<std::uint32_t> latencies;  // microseconds, of attempts that were answered
  std::thread thread;
};

std::uint64_t testSeed() {
  static const std::uint64_t seed = [] {
    const std::uint64_t random =
        (std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}();
    const auto value = numberFromEnvironment("AUTH_ERRORS_SEED", random);
    std::cout << "seed: AUTH_ERRORS_SEED=" << value << '\n' << std::flush;
    return value;
  }();
  return seed;
}

LoadGenerator::LoadGenerator(LoadOptions options)
    : options_(std::move(options)), drainUntil_(std::numeric_limits<Clock::rep>::max()) {
  for (std::size_t index = 0; index < options_.connections; ++index) {
    connections_.push_back(std::make_unique<Connection>(index, options_.seed));
  }
  for (const auto& connection : connections_) {
    connection->thread = std::thread([this, &connection = *connection] { run(connection); });
  }
}

LoadGenerator::~LoadGenerator() { finish(milliseconds(0)); }

LoadCounts LoadGenerator::counts() const {
  return {.attempts = attempts_,
          .created = created_,
          .duplicates = duplicates_,
          .refused = refused_,
          .otherStatuses = otherStatuses_,
          .transportFaults = transportFaults_,
          .unanswered = unanswered_,
          .contradictions = contradictions_};
}

void LoadGenerator::note(std::atomic<std::uint64_t>& counter) {
  {
    const std::scoped_lock lock(mutex_);
    ++counter;
  }
  changed_.notify_all();
}

// Clients repeat soon after a 503, but not all at once. Returns false when the load is over.
bool LoadGenerator::pauseBeforeRepeat(Connection& connection) {
  const auto over = [this] {
    return Clock::now().time_since_epoch().count() >= drainUntil_.load();
  };
  const milliseconds pause(20 + static_cast<int>(connection.random() % 40));
  std::unique_lock lock(mutex_);
  return !stopped_.wait_for(lock, pause, over);
}

void LoadGenerator::run(Connection& connection) {
  HttpClient http(options_.port, options_.headers);
  for (std::size_t number = 0; !draining_; ++number) {
    ErrorBody body;
    body.requestId = std::format("{}-{:x}-{}-{}", options_.requestIdPrefix, options_.seed,
                                 connection.index, number);
    body.httpStatus = connection.random() % 2 == 0 ? 401 : 403;
    body.stacktrace = makeStacktrace(options_.stacktraceBytes, connection.random() % 1000);
    postUntilAcknowledged(connection, http, body.requestId, body.json());
  }
}

void LoadGenerator::postUntilAcknowledged(Connection& connection, HttpClient& http,
                                          const std::string& requestId, const std::string& body) {
  std::optional<domain::ErrorId> acknowledgedId;
  bool again = connection.random() % 1000 < options_.repeatsPerThousand;
  for (;;) {
    const auto startedAt = Clock::now();
    const auto answer = http.post(kPath, body, options_.requestDeadline);
    const auto endedAt = Clock::now();
    const auto record = [&](int status, std::optional<TransportFault> fault, std::string detail,
                            std::optional<Clock::time_point> sentAt) {
      if (connection.incidents.size() < kMaxIncidents) {
        connection.incidents.push_back({.requestId = requestId,
                                        .status = status,
                                        .fault = fault,
                                        .detail = std::move(detail),
                                        .startedAt = startedAt,
                                        .sentAt = sentAt,
                                        .endedAt = endedAt});
      }
    };
    if (answer) {
      const auto latency = std::chrono::duration_cast<microseconds>(endedAt - startedAt).count();
      connection.latencies.push_back(static_cast<std::uint32_t>(latency));
    }

    note(attempts_);
    if (!answer) {
      const TransportError& error = answer.error();
      // Refused connections never reached the service, and would crowd out informative incidents.
      if (error.fault != TransportFault::refused) {
        record(0, error.fault, error.message, error.sentAt);
      }
      note(error.fault == TransportFault::timeout ? unanswered_ : transportFaults_);
    } else if (answer->status == 200 || answer->status == 201) {
      const auto acknowledgement = readAcknowledgement(*answer, requestId);
      if (!acknowledgement || (acknowledgedId && (*acknowledgedId != acknowledgement->authErrorId ||
                                                  !acknowledgement->duplicate))) {
        record(answer->status, std::nullopt, answer->body.substr(0, kMaxDetail), std::nullopt);
        note(contradictions_);
        return;
      }
      if (!acknowledgedId) {
        acknowledgedId = acknowledgement->authErrorId;
        connection.acknowledged.push_back({.requestId = requestId, .authErrorId = *acknowledgedId});
      }
      note(answer->status == 201 ? created_ : duplicates_);
      if (!std::exchange(again, false) || draining_) {
        return;
      }
      continue;
    } else if (answer->status == 503) {
      note(refused_);
    } else {
      record(answer->status, std::nullopt, answer->body.substr(0, kMaxDetail), std::nullopt);
      note(otherStatuses_);
      // The service rejected this request, and would reject it again.
      connection.pending.push_back(requestId);
      return;
    }
    if (!options_.repeatUntilAcknowledged || !pauseBeforeRepeat(connection)) {
      if (!acknowledgedId) {
        connection.pending.push_back(requestId);
      }
      return;
    }
  }
}

LoadSummary LoadGenerator::finish(milliseconds drain) {
  {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    drainUntil_ = (Clock::now() + drain).time_since_epoch().count();
  }
  stopped_.notify_all();
  LoadSummary summary;
  std::vector<std::uint32_t> latencies;
  for (const auto& connection : connections_) {
    if (connection->thread.joinable()) {
      connection->thread.join();
    }
    const auto append = [](auto& target, const auto& source) {
      target.insert(target.end(), source.begin(), source.end());
    };
    append(summary.acknowledged, connection->acknowledged);
    append(summary.pending, connection->pending);
    append(summary.incidents, connection->incidents);
    append(latencies, connection->latencies);
  }
  summary.counts = counts();
  std::ranges::sort(latencies);
  if (!latencies.empty()) {
    summary.median = microseconds(latencies[latencies.size() / 2]);
    summary.percentile99 = microseconds(latencies[latencies.size() * 99 / 100]);
    summary.slowest = microseconds(latencies.back());
  }
  return summary;
}

std::string LoadSummary::text() const {
  std::string text = std::format(
      "{} attempts: {} created, {} duplicates, {} refused (503), {} other statuses, {} transport "
      "faults, {} unanswered, {} contradictions; {} acknowledged, {} pending; median {} us, p99 {} "
      "us, slowest {} us",
      counts.attempts, counts.created, counts.duplicates, counts.refused, counts.otherStatuses,
      counts.transportFaults, counts.unanswered, counts.contradictions, acknowledged.size(),
      pending.size(), median.count(), percentile99.count(), slowest.count());
  constexpr std::size_t kShown = 5;
  for (const Incident& incident : incidents) {
    if (&incident - incidents.data() >= static_cast<std::ptrdiff_t>(kShown)) {
      break;
    }
    text += std::format(
        "\n  {}: {} {} {} after {} ms", incident.requestId, incident.status,
        incident.fault ? name(*incident.fault) : "", incident.detail,
        std::chrono::duration_cast<milliseconds>(incident.endedAt - incident.startedAt).count());
  }
  return text;
}

}  // namespace auth_errors::tests
