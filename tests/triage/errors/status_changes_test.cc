// The only code that changes an AuthError's status, on a real PostgreSQL: guarded, logged, in the
// caller's transaction.
#include "triage/errors/status_changes.h"

#include <chrono>
#include <format>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/errors/auth_error_transitions.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::triage {
namespace {

using namespace std::chrono_literals;
using domain::AuthErrorStatus;
using domain::StatusEvent;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using tests::ids;
using tests::in;
using tests::kNull;
using tests::Row;
using tests::RowMatcher;

class StatusChangesTest : public tests::DatabaseTest {
 protected:
  void insert(int id, AuthErrorStatus status) {
    database_.execute(std::format(
        "INSERT INTO auth_error (id, dedup_key, status, occurred_at, received_at, "
        "status_changed_at, http_status, exception_class, stacktrace, retry_count, stack_hash) "
        "OVERRIDING SYSTEM VALUE VALUES ({0}, 'key-{0}', '{1}', now(), now(), '2026-01-01', 401, "
        "'E', 's', 0, {2})",
        id, domain::toText(status), status == AuthErrorStatus::fresh ? "NULL" : "repeat('a', 64)"));
  }
  // One error in each state; its id is the state's position in the table of names, counted from 1.
  std::vector<domain::ErrorId> insertOneInEachState() {
    database_.execute("TRUNCATE auth_error, auth_error_transition");
    std::vector<domain::ErrorId> ids;
    for (const auto& [status, name] : domain::kAuthErrorStatusNames) {
      const int place = static_cast<int>(status) + 1;
      ids.emplace_back(place);
      insert(place, status);
    }
    return ids;
  }
  std::vector<domain::ErrorId> change(StatusEvent event, std::vector<domain::ErrorId> ids) {
    return clients_.run([this, event, ids]() -> drogon::Task<std::vector<domain::ErrorId>> {
      database::Transaction transaction = co_await client_.begin(in(10s));
      auto changed = co_await changeStatus(transaction, event, ids, "someone");
      co_await transaction.commit();
      co_return changed;
    });
  }
  std::vector<domain::ErrorId> complete(std::vector<Analysis> analyses) {
    return clients_.run([this, analyses]() -> drogon::Task<std::vector<domain::ErrorId>> {
      database::Transaction transaction = co_await client_.begin(in(10s));
      auto changed =
          co_await completeAnalyses(transaction, analyses, domain::InstanceName("someone"));
      co_await transaction.commit();
      co_return changed;
    });
  }
  std::string statusOf(domain::ErrorId id) {
    return database_.queryValue("SELECT status FROM auth_error WHERE id = " +
                                std::format("{}", id));
  }
  std::vector<tests::TextRow> log() {
    return database_.queryText(
        "SELECT auth_error_id, from_status, to_status, cause, changed_by FROM "
        "auth_error_transition ORDER BY auth_error_id, id");
  }

  // Expects the event to change one error in each state by the domain's table.
  void expectChanges(StatusEvent event, const std::vector<domain::ErrorId>& changed) {
    std::vector<domain::ErrorId> expected;
    std::vector<RowMatcher> logged;
    for (const auto& [from, name] : domain::kAuthErrorStatusNames) {
      const domain::ErrorId id(static_cast<int>(from) + 1);
      const auto to = domain::transition(from, event);
      EXPECT_EQ(statusOf(id), domain::toText(to.value_or(from)))
          << name << " on " << domain::toText(event);
      if (to && *to != from) {
        expected.push_back(id);
        logged.push_back(Row(id, name, domain::toText(*to), domain::toText(event), "someone"));
      }
    }
    EXPECT_EQ(changed, expected) << domain::toText(event);
    EXPECT_THAT(log(), ElementsAreArray(logged)) << domain::toText(event);
  }

  database::Client& client_ = connect(1);
};

TEST_F(StatusChangesTest, FollowTheTransitionTableAndAreLogged) {
  for (const auto& [event, name] : domain::kStatusEventNames) {
    if (event != StatusEvent::analysisCompleted) {
      const auto ids = insertOneInEachState();
      expectChanges(event, change(event, ids));
    }
  }
}

TEST_F(StatusChangesTest, CompleteAnalysesWithTheirHashes) {
  std::vector<Analysis> analyses;
  for (const domain::ErrorId id : insertOneInEachState()) {
    analyses.push_back(
        {.authErrorId = id, .stackHash = std::string(63, 'f') + std::format("{}", id)});
  }
  expectChanges(StatusEvent::analysisCompleted, complete(analyses));
  EXPECT_THAT(database_.queryText("SELECT id FROM auth_error WHERE stack_hash = "
                                  "repeat('f', 63) || id ORDER BY id"),
              ElementsAre(Row(2), Row(3)))
      << "RETRY and ANALYSIS_REQUESTED, each with its own";
}

TEST_F(StatusChangesTest, RecordTheTimeOnlyForChangedErrors) {
  insert(1, AuthErrorStatus::fresh);
  insert(2, AuthErrorStatus::resolved);
  EXPECT_EQ(change(StatusEvent::analysisRequested, ids<domain::ErrorId>({1, 2})),
            ids<domain::ErrorId>({1}));
  EXPECT_THAT(
      database_.queryText("SELECT e.id, e.status_changed_at = t.changed_at, e.status_changed_at > "
                          "now() - interval '1 minute' FROM auth_error e LEFT JOIN "
                          "auth_error_transition t ON t.auth_error_id = e.id ORDER BY e.id"),
      ElementsAre(Row(1, true, true), Row(2, kNull, false)));
}

TEST_F(StatusChangesTest, IgnoreUnknownErrorsAndEmptyLists) {
  EXPECT_THAT(change(StatusEvent::analysisRequested, ids<domain::ErrorId>({77})), IsEmpty());
  EXPECT_THAT(change(StatusEvent::analysisRequested, {}), IsEmpty());
  EXPECT_THAT(complete({}), IsEmpty());
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(StatusChangesTest, ChangeADuplicateErrorOnce) {
  insert(1, AuthErrorStatus::fresh);
  insert(2, AuthErrorStatus::retry);
  EXPECT_EQ(change(StatusEvent::analysisRequested, ids<domain::ErrorId>({2, 1, 2, 1})),
            ids<domain::ErrorId>({1, 2}));
  EXPECT_THAT(log(), ::testing::SizeIs(2));
}

TEST_F(StatusChangesTest, AreAtomicWithTheCallersTransaction) {
  insert(1, AuthErrorStatus::fresh);
  clients_.run([this]() -> drogon::Task<> {
    database::Transaction transaction = co_await client_.begin(in(10s));
    co_await changeStatus(transaction, StatusEvent::analysisRequested, ids<domain::ErrorId>({1}),
                          "someone");
    co_await transaction.rollback();
  });
  EXPECT_EQ(statusOf(domain::ErrorId(1)), "NEW");
  EXPECT_THAT(log(), IsEmpty());
}

// Two concurrent events for one error: the second to lock the row must apply to the result of the
// first.
class ConcurrentStatusChangesTest : public StatusChangesTest {
 protected:
  std::vector<domain::ErrorId> requestAnalysisWhile(const std::string& otherChange) {
    tests::PlainConnection other(database_.url());
    other.execute("BEGIN; UPDATE auth_error SET " + otherChange + " WHERE id = 1");
    auto waiting = clients_.start([this]() -> drogon::Task<std::vector<domain::ErrorId>> {
      database::Transaction transaction = co_await client_.begin(in(20s));
      auto changed = co_await changeStatus(transaction, StatusEvent::analysisRequested,
                                           ids<domain::ErrorId>({1}), "someone");
      co_await transaction.commit();
      co_return changed;
    });
    EXPECT_TRUE(tests::eventually([this] {
      return database_.queryValue("SELECT count(*) FROM pg_locks WHERE NOT granted") != "0";
    })) << "it did not wait for the row";
    other.execute("COMMIT");
    return tests::await(std::move(waiting), tests::kWaitLimit);
  }
};

TEST_F(ConcurrentStatusChangesTest, NeverLeaveATerminalStateSetConcurrently) {
  insert(1, AuthErrorStatus::retry);
  EXPECT_THAT(requestAnalysisWhile("status = 'IGNORED'"), IsEmpty());
  EXPECT_EQ(statusOf(domain::ErrorId(1)), "IGNORED");
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(ConcurrentStatusChangesTest, LogTheStateSetConcurrentlyAsTheSource) {
  insert(1, AuthErrorStatus::fresh);
  EXPECT_EQ(requestAnalysisWhile("status = 'RETRY'"), ids<domain::ErrorId>({1}));
  EXPECT_EQ(statusOf(domain::ErrorId(1)), "ANALYSIS_REQUESTED");
  EXPECT_THAT(log(),
              ElementsAre(Row(1, "RETRY", "ANALYSIS_REQUESTED", "analysis_requested", "someone")));
}

}  // namespace
}  // namespace auth_errors::triage
