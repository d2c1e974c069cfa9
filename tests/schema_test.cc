// What the schema refuses by itself, whatever the code does.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/auth_error_status.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

class Schema : public ::testing::Test {
 protected:
  Schema() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(AUTH_ERRORS_MIGRATIONS)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) {
      std::stringstream sql;
      sql << std::ifstream(file).rdbuf();
      database_.execute(sql.str());
    }
  }

  // The name of the constraint that refuses the statement, or the server's words.
  std::string refusal(const std::string& sql) {
    try {
      database_.execute(sql);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  }

  void insertError(const std::string& key = "k", const std::string& status = "NEW") {
    database_.execute(
        "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
        "http_status, exception_class, stacktrace, retry_count, stack_hash) VALUES ('" +
        key + "', '" + status + "', now(), now(), now(), 401, 'E', 's', 0, repeat('a', 64))");
  }

  void insertMessage(const std::string& id = "1") {
    database_.execute(
        "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
        "payload, status, retry_count, created_at) VALUES ('auth_error', " +
        id + ", 'e', 'auth_error:recorded:" + id + R"(', '{"authErrorId":)" + id +
        "}', 'PENDING', 0, now())");
  }

  TestDatabase database_;
};

TEST_F(Schema, KnowsEveryStatusOfTheDomainAndNoOther) {
  for (const auto& [status, name] : domain::kAuthErrorStatusNames) {
    insertError(std::string(name), std::string(name));
  }
  EXPECT_THAT(refusal("UPDATE auth_error SET status = 'DONE' WHERE dedup_key = 'NEW'"),
              ::testing::HasSubstr("auth_error_status_known"));
}

// Invariant 1.
TEST_F(Schema, KeepsOneErrorPerRequestId) {
  insertError("same");
  EXPECT_THROW(insertError("same"), std::runtime_error);
  EXPECT_THAT(refusal("UPDATE auth_error SET dedup_key = 'other'"),
              ::testing::HasSubstr("never changes"));
}

// Invariant 5.
TEST_F(Schema, NeverLetsATerminalStatusGo) {
  for (const std::string terminal : {"PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    insertError(terminal, terminal);
    EXPECT_THAT(
        refusal("UPDATE auth_error SET status = 'RETRY' WHERE dedup_key = '" + terminal + "'"),
        ::testing::HasSubstr("a terminal status is never left"));
    EXPECT_EQ(refusal("UPDATE auth_error SET status = status WHERE dedup_key = '" + terminal + "'"),
              "accepted");
  }
}

// Invariant 3.
TEST_F(Schema, KeepsAnEventAsItWasWritten) {
  insertMessage();
  for (const std::string change : {R"(payload = '{"authErrorId":1,"x":2}')", "event_type = 'other'",
                                   "idempotency_key = 'auth_error:other:1'"}) {
    EXPECT_THAT(refusal("UPDATE outbox_message SET " + change),
                ::testing::HasSubstr("an event never changes"))
        << change;
  }
  EXPECT_THROW(insertMessage(), std::runtime_error);
}

// Invariant 3.
TEST_F(Schema, BuildsIdempotencyKeysFromTheErrorsIdOnly) {
  EXPECT_THAT(
      refusal("INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, "
              "idempotency_key, payload, status, retry_count, created_at) VALUES ('auth_error', 7, "
              R"('e', 'auth_error:recorded:request-7', '{"authErrorId":7}', 'PENDING', 0, now()))"),
      ::testing::HasSubstr("outbox_message_key_from_aggregate_id"));
}

TEST_F(Schema, TiesAClaimToProcessing) {
  insertMessage();
  EXPECT_THAT(refusal("UPDATE outbox_message SET status = 'PROCESSING'"),
              ::testing::HasSubstr("outbox_message_claimed_while_processing"));
  EXPECT_EQ(refusal("UPDATE outbox_message SET status = 'PROCESSING', processing_owner = 'a', "
                    "processing_started_at = now()"),
            "accepted");
  EXPECT_THAT(refusal("UPDATE outbox_message SET status = 'PENDING'"),
              ::testing::HasSubstr("outbox_message_claimed_while_processing"));
}

TEST_F(Schema, KeepsKeysWhatTheyAreAndRevokedOnesRevoked) {
  const auto insert = [](const std::string& values) {
    return "INSERT INTO api_key (name, role, service_name, secret_digest, rate_limit, created_at, "
           "created_by) VALUES (" +
           values + ", now(), 'test')";
  };
  EXPECT_EQ(refusal(insert("'a', 'ingest', 'shop', sha256('a'), 0")), "accepted");
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"'a', 'viewer', NULL, sha256('b'), NULL", "api_key_name_unique"},
      {"'b', 'viewer', NULL, sha256('a'), NULL", "api_key_secret_digest_unique"},
      {"'b', 'viewer', NULL, 'aek_plain', NULL", "api_key_secret_digest_is_sha256"},
      {"'b', 'king', NULL, sha256('b'), NULL", "api_key_role_known"},
      {"'b', 'viewer', 'shop', sha256('b'), NULL", "api_key_service_of_ingest_only"},
      {"'b', 'viewer', NULL, sha256('b'), -1", "api_key_rate_limit_range"},
      {"'b c', 'viewer', NULL, sha256('b'), NULL", "api_key_name_form"},
      {"'none', 'viewer', NULL, sha256('b'), NULL", "api_key_name_not_reserved"},
  };
  for (const auto& [values, constraint] : refused) {
    EXPECT_THAT(refusal(insert(values)), ::testing::HasSubstr(constraint));
  }
  EXPECT_THAT(refusal("UPDATE api_key SET role = 'operator', service_name = NULL"),
              ::testing::HasSubstr("a key never becomes another one"));
  EXPECT_EQ(refusal("UPDATE api_key SET rate_limit = 5"), "accepted");
  EXPECT_THAT(refusal("UPDATE api_key SET revoked_at = now()"),
              ::testing::HasSubstr("api_key_revoked_by_someone"));
  EXPECT_EQ(refusal("UPDATE api_key SET revoked_at = now(), revoked_by = 'x'"), "accepted");
  EXPECT_THAT(refusal("UPDATE api_key SET revoked_at = NULL, revoked_by = NULL"),
              ::testing::HasSubstr("a revoked key stays revoked"));
}

TEST_F(Schema, GivesTheLedgerNoDefaultsAndOneRowPerMessage) {
  EXPECT_THAT(refusal("INSERT INTO processed_message (outbox_id) VALUES (1)"),
              ::testing::HasSubstr("null value"));
  const std::string insert =
      "INSERT INTO processed_message (outbox_id, status, retry_count, created_at, updated_at) "
      "VALUES (1, 'PENDING', 0, now(), now())";
  EXPECT_EQ(refusal(insert), "accepted");
  EXPECT_THAT(refusal(insert), ::testing::HasSubstr("processed_message_pkey"));
  EXPECT_THAT(refusal("UPDATE processed_message SET status = 'PROCESSING'"),
              ::testing::HasSubstr("processed_message_leased_while_processing"));
  EXPECT_THAT(refusal("UPDATE processed_message SET status = 'RETRY_WAIT'"),
              ::testing::HasSubstr("processed_message_retry_wait_has_time"));
}

}  // namespace
}  // namespace auth_errors::tests
