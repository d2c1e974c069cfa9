// Group commit on a real PostgreSQL: an acknowledged error is stored once, with one event.
#include "outbox/ingest_batcher.h"

#include <format>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/name.h"
#include "domain/scrub/patterns.h"
#include "outbox/fair_queue.h"
#include "outbox/metrics.h"
#include "platform/database/client.h"
#include "platform/security/organisation_patterns.h"
#include "tests/support/database_fixture.h"
#include "tests/support/loop_runner.h"
#include "tests/support/row_matchers.h"
#include "tests/support/test_database.h"

namespace auth_errors::outbox {
namespace {

using namespace std::chrono_literals;
using database::Deadline;
using tests::Row;
using tests::runOn;
using tests::startOn;

using tests::in;

domain::AcceptedError errorWith(std::string requestId,
                                std::string stacktrace = "at a.B.c(B.java:1)") {
  domain::AcceptedError error;
  error.texts.at(static_cast<std::size_t>(domain::TextField::requestId)) = std::move(requestId);
  error.texts.at(static_cast<std::size_t>(domain::TextField::exceptionClass)) = "BadCredentials";
  error.texts.at(static_cast<std::size_t>(domain::TextField::stacktrace)) = std::move(stacktrace);
  error.occurredAt = *domain::parseInstant("2026-01-31T09:30:00Z");
  error.httpStatus = 401;
  return error;
}

// One loop with its client and batcher, like an IO loop of the service.
class Writer {
 public:
  Writer(const std::string& url, BatchLimits limits, Metrics& metrics,
         std::string digestVersion = "1") {
    tests::callOn(thread_.loop(), [&] {
      client_ =
          std::make_unique<database::Client>(thread_.loop(), database::ClientOptions{.url = url});
      batcher_ =
          std::make_unique<IngestBatcher>(*client_, limits, domain::InstanceName("here"),
                                          std::move(digestVersion), metrics, [this] { ++wakes_; });
    });
  }
  ~Writer() {
    tests::callOn(thread_.loop(), [this] {
      batcher_.reset();
      client_.reset();
    });
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;

  std::future<IngestBatcher::Answer> start(domain::AcceptedError error, Deadline deadline) {
    return startOn(thread_.loop(), [this, error = std::move(error), deadline]() {
      return storeOne(error, deadline);
    });
  }
  IngestBatcher::Answer store(domain::AcceptedError error, Deadline deadline) {
    return tests::await(start(std::move(error), deadline), tests::kWaitLimit);
  }
  std::future<std::vector<IngestBatcher::Answer>> startGroup(
      std::vector<domain::AcceptedError> errors, IngestBatcher::Source source, Deadline deadline) {
    return startOn(thread_.loop(), [this, errors = std::move(errors), source, deadline]() {
      return batcher_->store(errors, source, deadline);
    });
  }
  std::vector<IngestBatcher::Answer> storeGroup(std::vector<domain::AcceptedError> errors) {
    return tests::await(startGroup(std::move(errors), this, in(10s)), tests::kWaitLimit);
  }
  // Submits all in one iteration of the loop, so that those after the first form batches.
  std::vector<IngestBatcher::Answer> storeTogether(std::vector<domain::AcceptedError> errors) {
    std::vector<std::future<IngestBatcher::Answer>> futures;
    std::promise<void> gate;
    thread_.loop().queueInLoop([opened = gate.get_future().share()] { opened.wait(); });
    for (domain::AcceptedError& error : errors) {
      futures.push_back(start(std::move(error), in(10s)));
    }
    gate.set_value();
    std::vector<IngestBatcher::Answer> answers;
    for (auto& future : futures) {
      answers.push_back(tests::await(std::move(future), tests::kWaitLimit));
    }
    return answers;
  }
  template <typename MakeTask>
  auto run(MakeTask makeTask) {
    return runOn(thread_.loop(), std::move(makeTask));
  }
  database::Client& client() { return *client_; }

 private:
  drogon::Task<IngestBatcher::Answer> storeOne(domain::AcceptedError error, Deadline deadline) {
    std::vector<domain::AcceptedError> errors;
    errors.push_back(std::move(error));
    const auto answers = co_await batcher_->store(std::move(errors), this, deadline);
    co_return answers.front();
  }

  tests::LoopThread thread_;
  std::unique_ptr<database::Client> client_;
  std::atomic<int> wakes_ = 0;
  std::unique_ptr<IngestBatcher> batcher_;
};

class IngestBatcherTest : public ::testing::Test {
 protected:
  std::string count(const std::string& table) {
    return database_.queryValue("SELECT count(*) FROM " + table);
  }

  telemetry::Registry registry_;
  Metrics metrics_{registry_};
  tests::TestDatabase database_;
  Writer writer_{database_.url(), {}, metrics_};
};

TEST_F(IngestBatcherTest, StoresTheErrorAndItsEventTogether) {
  const auto answer = writer_.store(errorWith("request-1"), in(10s));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->duplicate);
  EXPECT_EQ(answer->status, domain::AuthErrorStatus::fresh);
  const auto id = std::format("{}", answer->id);
  const auto row = database_.queryRow(
      "SELECT e.id, e.status, o.aggregate_type, o.aggregate_id, o.event_type, o.idempotency_key, "
      "o.status, o.payload->>'authErrorId', o.payload->>'requestId', "
      "(o.payload->>'occurredAt')::timestamptz = e.occurred_at, e.received_by "
      "FROM auth_error e JOIN outbox_message o ON o.aggregate_id = e.id");
  EXPECT_THAT(row, Row(id, "NEW", "auth_error", id, "auth.error.recorded.v1",
                       "auth_error:recorded:" + id, "PENDING", id, "request-1", true, "here"));
}

// Invariant 1: a repeated request adds no row and gets the first one's id.
TEST_F(IngestBatcherTest, AnswersARepeatWithTheFirstIdAndTheCurrentStatus) {
  const auto first = writer_.store(errorWith("request-1"), in(10s));
  database_.execute("UPDATE auth_error SET status = 'ANALYSIS_REQUESTED'");
  const auto second = writer_.store(errorWith("request-1"), in(10s));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(second->duplicate);
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(second->status, domain::AuthErrorStatus::analysisRequested);
  EXPECT_EQ(count("auth_error"), "1");
  EXPECT_EQ(count("outbox_message"), "1");
}

TEST_F(IngestBatcherTest, StoresARepeatWithinABatchOnce) {
  std::vector<domain::AcceptedError> errors;
  for (int index = 0; index < 100; ++index) {
    errors.push_back(errorWith("same"));
    errors.push_back(errorWith("other-" + std::to_string(index)));
  }
  const auto answers = writer_.storeTogether(std::move(errors));
  int fresh = 0;
  for (std::size_t index = 0; index < answers.size(); index += 2) {
    ASSERT_TRUE(answers.at(index));
    EXPECT_EQ(answers.at(index)->id, answers.front()->id);
    fresh += answers.at(index)->duplicate ? 0 : 1;
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(count("auth_error"), "101");
  EXPECT_EQ(count("outbox_message"), "101");
}

TEST_F(IngestBatcherTest, CommitsManyRequestsTogether) {
  std::vector<domain::AcceptedError> errors;
  for (int index = 0; index < 1'000; ++index) {
    errors.push_back(errorWith("request-" + std::to_string(index)));
  }
  const auto answers = writer_.storeTogether(std::move(errors));
  EXPECT_TRUE(std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); }));
  EXPECT_EQ(count("auth_error"), "1000");
  // 1 + ceil(999 / 128): the first is written alone, the rest in full batches.
  EXPECT_EQ(database_.queryValue("SELECT count(DISTINCT xmin::text) FROM auth_error"), "9");
}

// A row refused only by the database, since the service checks this length earlier, fails alone.
TEST_F(IngestBatcherTest, SplitsABatchSoThatABadRowFailsAlone) {
  std::vector<domain::AcceptedError> errors;
  for (int index = 0; index < 100; ++index) {
    errors.push_back(errorWith("request-" + std::to_string(index),
                               index == 57 ? std::string(8'001, 'x') : "trace"));
  }
  const auto answers = writer_.storeTogether(std::move(errors));
  for (std::size_t index = 0; index < answers.size(); ++index) {
    if (index == 57) {
      ASSERT_FALSE(answers.at(index));
      EXPECT_EQ(answers.at(index).error().refusal().reason, NotStored::Reason::unstorable);
    } else {
      EXPECT_TRUE(answers.at(index)) << index;
    }
  }
  EXPECT_EQ(count("auth_error"), "99");
  EXPECT_EQ(count("outbox_message"), "99");
}

TEST_F(IngestBatcherTest, KeepsTwoWritersWithOverlappingKeysFromDeadlocking) {
  Writer other(database_.url(), {}, metrics_);
  std::vector<domain::AcceptedError> forward;
  std::vector<domain::AcceptedError> backward;
  for (int index = 0; index < 2'000; ++index) {
    forward.push_back(errorWith("request-" + std::to_string(index)));
    backward.push_back(errorWith("request-" + std::to_string(1'999 - index)));
  }
  auto theirs =
      std::async(std::launch::async, [&] { return other.storeTogether(std::move(backward)); });
  const auto ours = writer_.storeTogether(std::move(forward));
  const auto others = theirs.get();
  int fresh = 0;
  for (std::size_t index = 0; index < ours.size(); ++index) {
    const auto& mine = ours.at(index);
    const auto& same = others.at(ours.size() - 1 - index);
    ASSERT_TRUE(mine && same) << index;
    EXPECT_EQ(mine->id, same->id);
    fresh += (mine->duplicate ? 0 : 1) + (same->duplicate ? 0 : 1);
  }
  EXPECT_EQ(fresh, 2'000);
  EXPECT_EQ(count("outbox_message"), "2000");
}

TEST_F(IngestBatcherTest, RefusesRequestsBeyondItsQueue) {
  Writer small(database_.url(), {.rows = 1, .queueRows = 2}, metrics_);
  tests::PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  std::vector<std::future<IngestBatcher::Answer>> futures;
  for (int index = 0; index < 6; ++index) {
    futures.push_back(small.start(errorWith("request-" + std::to_string(index)), in(10s)));
  }
  // One is being written, two are queued; the rest are answered at once.
  for (std::size_t index = 3; index < futures.size(); ++index) {
    const auto answer = tests::await(std::move(futures.at(index)), 5s);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().refusal().reason, NotStored::Reason::overloaded);
  }
  blocker.execute("COMMIT");
  for (std::size_t index = 0; index < 3; ++index) {
    EXPECT_TRUE(tests::await(std::move(futures.at(index)), 10s));
  }
}

TEST_F(IngestBatcherTest, AcceptsMoreThanTheQueueLimitWhileItIsEmpty) {
  Writer small(database_.url(), {.rows = 2, .queueRows = 2, .queueBytes = 100}, metrics_);
  for (int round = 0; round < 2; ++round) {
    std::vector<domain::AcceptedError> errors;
    for (int index = 0; index < 5; ++index) {
      errors.push_back(errorWith(std::to_string(10 * round + index)));
    }
    for (const auto& answer : small.storeGroup(std::move(errors))) {
      EXPECT_TRUE(answer);
    }
  }
}

TEST_F(IngestBatcherTest, ReportsAnUnknownOutcomeWhenNoAnswerComesInTime) {
  // Prepares the statement beforehand: if the lock delayed its preparation, the outcome would be
  // known.
  ASSERT_TRUE(writer_.store(errorWith("before"), in(10s)));
  tests::PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  const auto answer = writer_.store(errorWith("request-1"), in(300ms));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), domain::Outage::outcomeUnknown);
  blocker.execute("COMMIT");
  EXPECT_TRUE(writer_.store(errorWith("request-1"), in(10s)));
  EXPECT_EQ(count("auth_error"), "2");
}

// Regression test: on silent connections, requests were answered a second after their deadline.
TEST_F(IngestBatcherTest, AnswersExpiredRequestsBeforeTheNextWrite) {
  tests::PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  const Deadline first = in(1s);
  auto inFlight = writer_.start(errorWith("in flight"), first);
  auto tooLate = writer_.start(errorWith("too late"), first + 50ms);
  auto inTime = writer_.start(errorWith("in time"), in(20s));

  const auto late = tests::await(std::move(tooLate), 10s);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), domain::Outage::unavailable);
  EXPECT_EQ(inTime.wait_for(0s), std::future_status::timeout) << "the lock did not block its write";
  EXPECT_FALSE(tests::await(std::move(inFlight), tests::kWaitLimit));
  blocker.execute("COMMIT");
  EXPECT_TRUE(tests::await(std::move(inTime), tests::kWaitLimit));
}

TEST_F(IngestBatcherTest, DoesNotStartAWriteAfterItsDeadline) {
  const auto answer = writer_.store(errorWith("request-1"), in(1ms));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), domain::Outage::unavailable);
  EXPECT_EQ(count("auth_error"), "0");
}

TEST_F(IngestBatcherTest, StoresEveryFieldWithItsRedactionsAndPseudonyms) {
  domain::AcceptedError error = errorWith("whole");
  for (const domain::TextRule& rule : domain::kTextRules) {
    if (!rule.required) {
      error.texts.at(static_cast<std::size_t>(rule.field)) = std::string(rule.name);
    }
  }
  const std::string pseudonym = "v1:" + std::string(43, 'p');
  error.pseudonyms = {pseudonym, pseudonym, pseudonym};
  error.redactions.add(domain::RedactionKind::jwt);
  error.redactions.add(domain::RedactionKind::email);
  error.redactions.add(domain::RedactionKind::email);
  ASSERT_TRUE(writer_.store(error, in(10s)));
  const auto row = database_.queryRow(
      "SELECT exception_message, root_cause_class, root_cause_message, http_method, request_uri, "
      "user_agent, service_name, environment, trace_id, user_id, session_id, client_ip, "
      "user_pseudonym, session_pseudonym, client_ip_pseudonym, redactions::text FROM auth_error");
  EXPECT_THAT(
      row, Row("exceptionMessage", "rootCauseClass", "rootCauseMessage", "httpMethod", "requestUri",
               "userAgent", "serviceName", "environment", "traceId", "userId", "sessionId",
               "clientIp", pseudonym, pseudonym, pseudonym, R"({"jwt": 1, "email": 2})"));
}

TEST_F(IngestBatcherTest, LeavesAbsentFieldsNull) {
  ASSERT_TRUE(writer_.store(errorWith("sparse"), in(10s)));
  EXPECT_EQ(database_.queryValue(
                "SELECT num_nulls(exception_message, root_cause_class, root_cause_message, "
                "http_method, request_uri, user_agent, service_name, environment, trace_id, "
                "user_id, session_id, client_ip, user_pseudonym, session_pseudonym, "
                "client_ip_pseudonym, redactions) FROM auth_error"),
            "16");
}

// A 2xx would claim that the new content was stored.
TEST_F(IngestBatcherTest, RefusesARepeatWithOtherContent) {
  domain::AcceptedError first = errorWith("request-1");
  first.texts.at(static_cast<std::size_t>(domain::TextField::serviceName)) = "login";
  const auto stored = writer_.store(first, in(10s));
  ASSERT_TRUE(stored);
  ASSERT_TRUE(writer_.store(first, in(10s)));
  EXPECT_EQ(metrics_.ingestConflicts.value(), 0);
  const auto other = writer_.store(errorWith("request-1", "another trace"), in(10s));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().refusal().reason, NotStored::Reason::conflict);
  ASSERT_TRUE(other.error().refusal().first);
  EXPECT_EQ(other.error().refusal().first->id, stored->id);
  EXPECT_EQ(other.error().refusal().first->serviceName, "login");
  EXPECT_EQ(metrics_.ingestConflicts.value(), 1);
  EXPECT_EQ(count("auth_error"), "1");
  EXPECT_EQ(count("outbox_message"), "1");
}

TEST_F(IngestBatcherTest, DistinguishesConflictsFromRepeatsWithinABatch) {
  const auto answers =
      writer_.storeGroup({errorWith("new"), errorWith("new", "another trace"), errorWith("new")});
  ASSERT_TRUE(answers.at(0) && answers.at(2));
  EXPECT_FALSE(answers.at(0)->duplicate);
  EXPECT_TRUE(answers.at(2)->duplicate);
  ASSERT_FALSE(answers.at(1));
  EXPECT_EQ(answers.at(1).error().refusal().reason, NotStored::Reason::conflict);
  EXPECT_EQ(answers.at(1).error().refusal().first->id, answers.at(0)->id);
  // Each is compared with the row, not with the first of the batch.
  const auto again =
      writer_.storeGroup({errorWith("new", "another trace"), errorWith("new"),
                          errorWith("new", "another trace"), errorWith("neighbour")});
  EXPECT_FALSE(again.at(0));
  EXPECT_TRUE(again.at(1));
  EXPECT_FALSE(again.at(2));
  EXPECT_TRUE(again.at(3));
  EXPECT_EQ(metrics_.ingestConflicts.value(), 3);
  EXPECT_EQ(count("auth_error"), "2");
}

// The digest covers scrubbed texts and pseudonyms, so another scrubber or key gives the same error
// another digest.
TEST_F(IngestBatcherTest, ComparesContentOnlyWithinAVersion) {
  ASSERT_TRUE(writer_.store(errorWith("request-1"), in(10s)));
  EXPECT_EQ(database_.queryValue("SELECT content_digest_version FROM auth_error"), "1");
  Writer newer(database_.url(), {}, metrics_, "2");
  const auto incomparable = newer.store(errorWith("request-1", "another trace"), in(10s));
  ASSERT_TRUE(incomparable);
  EXPECT_TRUE(incomparable->duplicate);
  // Rows of the previous version have no digest version, and the oldest have no digest.
  database_.execute("UPDATE auth_error SET content_digest_version = NULL");
  EXPECT_TRUE(writer_.store(errorWith("request-1", "another trace"), in(10s)));
  database_.execute("UPDATE auth_error SET content_digest = NULL");
  EXPECT_TRUE(writer_.store(errorWith("request-1", "another trace"), in(10s)));
  EXPECT_EQ(metrics_.ingestConflicts.value(), 0);
}

TEST(DigestVersion, ChangesWithTheActorKeyAndWithStoredTexts) {
  const security::PseudonymKey key{.version = 1, .secret = std::string(32, 'k')};
  const security::PseudonymKey newer{.version = 2, .secret = key.secret};
  const security::PseudonymKey other{.version = 1, .secret = std::string(32, 'o')};
  const std::set<std::string> versions = {
      digestVersion({}), digestVersion({.actorKey = nullptr, .keepsIdentifiers = true}),
      digestVersion({.actorKey = &key}), digestVersion({.actorKey = &newer}),
      digestVersion({.actorKey = &other})};
  EXPECT_EQ(versions.size(), 5U);
  EXPECT_EQ(digestVersion({.actorKey = &key}), digestVersion({.actorKey = &key}));
  domain::setScrubPatterns(security::OrganisationPatterns::make({"ACME-[0-9]+"}, {}).value());
  const std::string withPatterns = digestVersion({.actorKey = &key});
  domain::setScrubPatterns(nullptr);
  EXPECT_FALSE(versions.contains(withPatterns));
  EXPECT_LE(withPatterns.size(), 64U);  // the length of the column
  EXPECT_LE(std::ranges::max(versions, {}, &std::string::size).size(), 64U);
}

TEST_F(IngestBatcherTest, AnswersAGroupInItsOrder) {
  const auto answers =
      writer_.storeGroup({errorWith("c"), errorWith("a"), errorWith("b"), errorWith("a")});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_FALSE(answers.at(1)->duplicate);
  EXPECT_TRUE(answers.at(3)->duplicate);
  EXPECT_EQ(answers.at(1)->id, answers.at(3)->id);
  EXPECT_EQ(database_.queryValue("SELECT dedup_key FROM auth_error WHERE id = " +
                                 std::format("{}", answers.at(0)->id)),
            "c");
  EXPECT_TRUE(writer_.storeGroup({}).empty());
}

// One client's five hundred errors are queued first; another client's single error still goes into
// the next write.
TEST_F(IngestBatcherTest, ServesClientsInTurn) {
  std::vector<domain::AcceptedError> many;
  for (int index = 0; index < 500; ++index) {
    many.push_back(errorWith("many-" + std::to_string(index)));
  }
  tests::PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  const int client = 0;
  auto blocked = writer_.startGroup({errorWith("blocked")}, &client, in(20s));
  auto large = writer_.startGroup(std::move(many), &client, in(20s));
  auto single = writer_.start(errorWith("single"), in(20s));
  writer_.run([]() -> drogon::Task<> { co_return; });  // now all are queued
  blocker.execute("COMMIT");
  ASSERT_TRUE(tests::await(std::move(single), tests::kWaitLimit));
  const auto answers = tests::await(std::move(large), tests::kWaitLimit);
  EXPECT_TRUE(std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); }));
  EXPECT_TRUE(tests::await(std::move(blocked), tests::kWaitLimit).front());
  // Written by the second transaction, the first after the blocked one.
  EXPECT_EQ(database_.queryValue("SELECT rank FROM (SELECT dedup_key, dense_rank() OVER (ORDER BY "
                                 "xmin::text::bigint) AS rank FROM auth_error) AS written "
                                 "WHERE dedup_key = 'single'"),
            "2");
}

// A single error may arrive at any moment, and would wait for the whole write.
TEST_F(IngestBatcherTest, WritesManyInPartsWhileSingleErrorsArrive) {
  constexpr std::size_t kRows = 32;
  Writer writer(database_.url(), {.bytes = kRows * 1024}, metrics_);
  const auto writes = [this] { return metrics_.ingestBatches[BatchOutcome::stored].value(); };
  const auto group = [](std::string_view prefix) {
    std::vector<domain::AcceptedError> errors;
    for (std::size_t number = 0; number < kRows; ++number) {
      errors.push_back(errorWith(std::format("{}-{}", prefix, number), std::string(900, 'x')));
    }
    return errors;
  };
  writer.storeGroup(group("alone"));
  EXPECT_EQ(writes(), 1);
  ASSERT_TRUE(writer.store(errorWith("single"), in(10s)));
  writer.storeGroup(group("beside"));
  EXPECT_GT(writes(), 2 + 2);
}

TEST(FairQueue, AlternatesWithClientsNotYetServed) {
  FairQueue<int, std::string> queue;
  for (const int source : {1, 2, 3}) {
    for (const char* item : {"a", "b"}) {
      queue.push(source, std::to_string(source) + item);
    }
  }
  std::string order;
  const auto take = [&](int count) {
    for (int taken = 0; taken < count; ++taken) {
      const std::string next = queue.front();
      EXPECT_EQ(queue.pop(), next);
      order += next + " ";
    }
  };
  take(3);
  queue.push(4, "4a");
  EXPECT_EQ(queue.sources(), 3U);
  take(4);
  EXPECT_EQ(order, "1a 1b 2a 2b 3a 3b 4a ");
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace auth_errors::outbox
