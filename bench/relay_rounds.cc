// Messages per second through the relay, compared with its two halves: the publisher alone and the
// database part alone. All three are measured in each round, because machines differ and are
// shared. Requires DATABASE_URL, of a migrated database without other users, and AMQP_URL.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <format>
#include <future>
#include <memory>
#include <print>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/events/event_descriptor.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "outbox/claim_worker.h"
#include "outbox/metrics.h"
#include "outbox/outbox_store.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/topology.h"
#include "platform/telemetry/log.h"
#include "tests/support/amqp_client.h"
#include "tests/support/environment.h"
#include "tests/support/loop_runner.h"
#include "tests/support/test_database.h"

namespace {

using namespace auth_errors;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// The defaults of the service.
const outbox::ClaimWorker::Options kDefaults{.instance = domain::InstanceName("bench"),
                                             .policy = {}};
constexpr std::size_t kWindow = 500;
constexpr auto kPatience = 10min;

std::string required(const char* name) {
  const auto value = tests::environmentVariable(name);
  if (!value) {
    throw std::runtime_error(std::format("{} is not set: run it by ./dev bench relay", name));
  }
  return *value;
}

double perSecond(std::size_t rows, Clock::time_point since) {
  return static_cast<double>(rows) / std::chrono::duration<double>(Clock::now() - since).count();
}

class Rounds {
 public:
  explicit Rounds(std::size_t rows)
      : rows_(rows),
        databaseUrl_(required("DATABASE_URL")),
        brokerUrl_(required("AMQP_URL")),
        topology_(messaging::makeTopology("bench", domain::RetryPolicy{}.rungs,
                                          {domain::kRecorded.eventType})),
        sql_(databaseUrl_) {}

  double publisherAlone() {
    std::vector<std::vector<messaging::Publication>> batches;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row % kDefaults.batchRows == 0) {
        batches.emplace_back();
      }
      batches.back().push_back(publication(static_cast<std::int64_t>(row + 1)));
    }
    const Broker broker(*this);
    const auto began = Clock::now();
    runLanes([&]() -> drogon::Task<> {
      while (!batches.empty()) {
        std::vector<messaging::Publication> batch = std::move(batches.back());
        batches.pop_back();
        const auto results =
            co_await broker.publisher->publish(std::move(batch), Clock::now() + kPatience);
        if (!std::ranges::all_of(results, [](auto result) {
              return result == messaging::PublishResult::confirmed;
            })) {
          throw std::runtime_error("the broker did not confirm");
        }
      }
    });
    return perSecond(rows_, began);
  }

  double statementsAlone() {
    fill();
    const Database database(*this);
    std::uint64_t claims = 0;
    const auto began = Clock::now();
    runLanes([&]() -> drogon::Task<> {
      while (true) {
        const outbox::ClaimOwner owner(std::format("bench/{}", ++claims));
        const auto messages = co_await outbox::claimMessages(
            *database.client, owner, static_cast<std::int64_t>(kDefaults.batchRows),
            Clock::now() + kPatience);
        if (messages.empty()) {
          co_return;
        }
        std::vector<domain::OutboxId> ids;
        ids.reserve(messages.size());
        for (const outbox::ClaimedMessage& message : messages) {
          ids.push_back(message.event.outboxId);
        }
        co_await outbox::markPublished(*database.client, owner, std::move(ids), kDefaults.instance,
                                       Clock::now() + kPatience);
      }
    });
    return perSecond(rows_, began);
  }

  double relay() {
    fill();
    telemetry::Registry registry;
    outbox::Metrics metrics{registry};
    const Database database(*this);
    const Broker broker(*this);
    outbox::ClaimWorker worker(*database.client, *broker.publisher, topology_, kDefaults, metrics);
    const auto published = [&] {
      return metrics.messages[outbox::RelayOutcome::published].value();
    };
    const auto began = Clock::now();
    tests::callOn(loop(), [&] { worker.start(); });
    while (published() < static_cast<double>(rows_)) {
      if (Clock::now() - began > kPatience) {
        throw std::runtime_error(std::format("only {} of {} were published", published(), rows_));
      }
      std::this_thread::sleep_for(1ms);
    }
    const double rate = perSecond(rows_, began);
    tests::runOn(loop(), [&] { return worker.stop(Clock::now() + 10s); });
    return rate;
  }

 private:
  // A connected client, closed on its loop.
  struct Database {
    explicit Database(Rounds& rounds) : loop(rounds.loop()) {
      client = std::make_unique<database::Client>(
          loop,
          database::ClientOptions{.url = rounds.databaseUrl_, .connections = kDefaults.lanes + 1});
      if (!tests::eventually([this] { return client->connected(); })) {
        throw std::runtime_error("the database is not to be reached");
      }
    }
    ~Database() {
      tests::callOn(loop, [this] { client.reset(); });
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    Database(Database&&) = delete;
    Database& operator=(Database&&) = delete;

    trantor::EventLoop& loop;
    std::unique_ptr<database::Client> client;
  };

  // A ready publisher. Its messages are removed at the end.
  struct Broker {
    explicit Broker(Rounds& all) : rounds(all) {
      tests::callOn(rounds.loop(), [this] {
        publisher = std::make_unique<messaging::Publisher>(
            rounds.loop(),
            messaging::Publisher::Options{
                .broker = {.url = rounds.brokerUrl_, .certificate = {}, .connectionName = "bench"},
                .topology = rounds.topology_,
                .window = kWindow,
                .onState = {}});
      });
      if (!tests::eventually(
              [this] { return publisher->state() == messaging::BrokerState::ready; })) {
        throw std::runtime_error("the broker is not to be reached");
      }
    }
    ~Broker() {
      tests::callOn(rounds.loop(), [this] { publisher.reset(); });
      tests::AmqpClient(rounds.brokerUrl_).deleteQueue(rounds.topology_.workQueue);
    }
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;
    Broker(Broker&&) = delete;
    Broker& operator=(Broker&&) = delete;

    Rounds& rounds;
    std::unique_ptr<messaging::Publisher> publisher;
  };

  trantor::EventLoop& loop() { return thread_.loop(); }

  // One task per lane of the worker.
  template <typename MakeTask>
  void runLanes(MakeTask makeTask) {
    std::vector<std::future<void>> lanes;
    for (std::size_t lane = 0; lane < kDefaults.lanes; ++lane) {
      lanes.push_back(tests::startOn(loop(), makeTask));
    }
    for (std::future<void>& lane : lanes) {
      tests::await(std::move(lane), kPatience);
    }
  }

  // Rows as ingestion writes them, in a table as autovacuum maintains it.
  void fill() {
    sql_.execute("TRUNCATE outbox_message");
    sql_.execute(std::format(
        "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
        "payload, status, retry_count, created_at, traceparent) SELECT '{0}', n, '{1}', '{2}' || "
        "n, jsonb_build_object('authErrorId', n, 'requestId', 'bench-' || n, 'occurredAt', now()), "
        "'PENDING', 0, now(), '{3}' FROM generate_series(1, {4}) n",
        domain::kRecorded.aggregateType, domain::kRecorded.eventType, domain::kRecorded.keyPrefix,
        kTraceparent, rows_));
    sql_.execute("VACUUM ANALYZE outbox_message");
  }

  [[nodiscard]] messaging::Publication publication(std::int64_t id) const {
    return {
        .to = topology_.event(domain::kRecorded.eventType),
        .message = messaging::encodeEvent(
            {.outboxId = domain::OutboxId(id),
             .aggregateType = std::string(domain::kRecorded.aggregateType),
             .eventType = std::string(domain::kRecorded.eventType),
             .idempotencyKey = domain::kRecorded.idempotencyKey(domain::ErrorId(id)),
             .payload = std::format(R"({{"requestId": "bench-{0}", "occurredAt": )"
                                    R"("2026-01-31T09:30:00.123456+00:00", "authErrorId": {0}}})",
                                    id),
             .createdAt = 1'769'851'800,
             .traceparent = std::string(kTraceparent)})};
  }

  static constexpr std::string_view kTraceparent =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  std::size_t rows_;
  std::string databaseUrl_;
  std::string brokerUrl_;
  messaging::Topology topology_;
  tests::PlainConnection sql_;
  tests::LoopThread thread_;
};

void run() {
  Rounds rounds(tests::numberFromEnvironment("BENCH_ROWS", std::size_t{20'000}));
  std::println("{:<34} {:>10} {:>14} {:>14}", "what", "rows/s", "of publisher", "of statements");
  for (int round = 0; round < tests::numberFromEnvironment("BENCH_ROUNDS", 3); ++round) {
    const double publisher = rounds.publisherAlone();
    std::println("{:<34} {:>10.0f}", "publisher alone", publisher);
    const double statements = rounds.statementsAlone();
    std::println("{:<34} {:>10.0f}", "claim and mark alone", statements);
    const double relay = rounds.relay();
    std::println("{:<34} {:>10.0f} {:>14.2f} {:>14.2f}", "relay", relay, relay / publisher,
                 relay / statements);
  }
}

}  // namespace

int main() {
  telemetry::configureLog(telemetry::LogLevel::error, telemetry::LogFormat::text, 2);
  try {
    run();
  } catch (const std::exception& error) {
    std::println(stderr, "{}", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
