// What the schema refuses by itself, whatever the code does.
#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/auth_error_status.h"
#include "domain/auth_error_transitions.h"
#include "domain/dead_letter.h"
#include "domain/decision.h"
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

TEST_F(Schema, KnowsEveryDecisionOfTheDomainAndNoOther) {
  const auto insert = [this](std::string_view type) {
    return refusal(
        std::format("INSERT INTO decision (auth_error_id, type, decided_by, decided_at) VALUES "
                    "(1, '{}', 'someone', now())",
                    type));
  };
  for (const domain::DecisionRow& row : domain::kDecisions) {
    EXPECT_EQ(insert(row.name), "accepted");
  }
  EXPECT_THAT(insert("DONE"), ::testing::HasSubstr("decision_type_known"));
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

TEST_F(Schema, KeepsTraceparentsAndRoundsOfEventsInForm) {
  insertMessage();
  EXPECT_EQ(refusal("UPDATE outbox_message SET traceparent = "
                    "'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', retry_round = 3"),
            "accepted");
  for (const std::string bad : {"", "x", "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"}) {
    EXPECT_THAT(refusal("UPDATE outbox_message SET traceparent = '" + bad + "'"),
                ::testing::HasSubstr("outbox_message_traceparent_form"))
        << bad;
  }
  EXPECT_THAT(refusal("UPDATE outbox_message SET retry_round = -1"),
              ::testing::HasSubstr("outbox_message_retry_round_not_negative"));
}

TEST_F(Schema, HasOneMarkOfTheSweeper) {
  EXPECT_EQ(database_.queryValue("SELECT swept_until FROM sweeper_mark"), "-infinity");
  EXPECT_THAT(refusal("INSERT INTO sweeper_mark VALUES (true, now())"),
              ::testing::HasSubstr("sweeper_mark_pkey"));
  EXPECT_THAT(refusal("INSERT INTO sweeper_mark VALUES (false, now())"),
              ::testing::HasSubstr("sweeper_mark_one_row"));
}

TEST_F(Schema, KeepsAttemptsInForm) {
  const auto insert = [](const std::string& values) {
    return "INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, "
           "failed_at) VALUES (1, 0, " +
           values + ", 'i', now())";
  };
  EXPECT_EQ(refusal(insert("'publish', 1, 'e'")), "accepted");
  EXPECT_EQ(refusal(insert("'consume', 6, repeat('e', 1000)")), "accepted");
  EXPECT_THAT(refusal(insert("'think', 1, 'e'")),
              ::testing::HasSubstr("delivery_attempt_stage_known"));
  EXPECT_THAT(refusal(insert("'publish', 0, 'e'")),
              ::testing::HasSubstr("delivery_attempt_counts_from_one"));
  for (const std::string bad : {"''", "repeat('e', 1001)"}) {
    EXPECT_THAT(refusal(insert("'publish', 1, " + bad)),
                ::testing::HasSubstr("delivery_attempt_error_length"));
  }
}

// The CHECK and the domain's table are written down twice; here they are compared.
TEST_F(Schema, LogsExactlyTheTransitionsOfTheDomain) {
  const auto insert = [](std::string_view from, std::string_view to, std::string_view by) {
    return std::format(
        "INSERT INTO auth_error_transition (auth_error_id, from_status, to_status, cause, "
        "changed_by, changed_at) VALUES (1, '{}', '{}', 'c', '{}', now())",
        from, to, by);
  };
  int allowed = 0;
  for (const auto& [from, fromName] : domain::kAuthErrorStatusNames) {
    for (const auto& [to, toName] : domain::kAuthErrorStatusNames) {
      // A change to the same state is none.
      const bool known =
          from != to && std::ranges::any_of(domain::kStatusTransitions,
                                            [from, to](const domain::StatusTransition& row) {
                                              return row.from == from && row.to == to;
                                            });
      allowed += known ? 1 : 0;
      EXPECT_THAT(refusal(insert(fromName, toName, "someone")),
                  known ? ::testing::HasSubstr("accepted")
                        : ::testing::HasSubstr("auth_error_transition_allowed"))
          << fromName << " to " << toName;
    }
  }
  EXPECT_EQ(allowed, 20);
  EXPECT_THAT(refusal(insert("NEW", "RETRY", "")),
              ::testing::HasSubstr("auth_error_transition_by_someone"));
  EXPECT_THAT(refusal(insert("NEW", "RETRY", std::string(256, 'x'))),
              ::testing::HasSubstr("auth_error_transition_by_someone"));
}

// Columns that a letter must have, with one of them given another value, and further ones.
std::string deadLetter(std::vector<std::pair<std::string, std::string>> given) {
  std::vector<std::pair<std::string, std::string>> columns = {
      {"status", "'OPEN'"}, {"source", "'consumer'"}, {"reason", "'rejected'"}, {"outbox_id", "1"},
      {"retry_round", "0"}, {"attempts", "'[]'"},     {"created_at", "now()"}};
  for (auto& [name, value] : given) {
    const auto known =
        std::ranges::find(columns, name, &std::pair<std::string, std::string>::first);
    if (known == columns.end()) {
      columns.emplace_back(std::move(name), std::move(value));
    } else {
      known->second = std::move(value);
    }
  }
  std::string names;
  std::string values;
  for (const auto& [name, value] : columns) {
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + value;
  }
  return "INSERT INTO dead_letter (" + names + ") VALUES (" + values + ")";
}

TEST_F(Schema, KeepsDeadLettersInForm) {
  const std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>>
      refused = {
          {"dead_letter_status_known",
           {{"status", "'GONE'"}, {"closed_at", "now()"}, {"closed_by", "'x'"}}},
          {"dead_letter_source_known", {{"source", "'nobody'"}}},
          {"dead_letter_reason_form", {{"reason", "'Free text'"}}},
          {"dead_letter_error_length", {{"error", "''"}}},
          {"dead_letter_error_length", {{"error", "repeat('e', 1001)"}}},
          {"dead_letter_ours_or_foreign", {{"retry_round", "NULL"}}},
          {"dead_letter_ours_or_foreign", {{"outbox_id", "NULL"}, {"retry_round", "NULL"}}},
          {"dead_letter_ours_or_foreign", {{"digest", "sha256('a')"}}},
          {"dead_letter_digest_is_sha256",
           {{"outbox_id", "NULL"}, {"retry_round", "NULL"}, {"digest", "'short'"}}},
          {"dead_letter_body_encoding_known", {{"body", "'b'"}}},
          {"dead_letter_body_encoding_known", {{"body", "'b'"}, {"body_encoding", "'hex'"}}},
          {"dead_letter_attempts_is_array", {{"attempts", "'{}'"}}},
          {"dead_letter_closed_by_someone", {{"status", "'RETRIED'"}, {"closed_at", "now()"}}},
          {"dead_letter_closed_by_someone", {{"closed_at", "now()"}, {"closed_by", "'x'"}}},
          {"dead_letter_decision_of_resolved", {{"decision", "'FAIL'"}}},
          {"dead_letter_decision_of_resolved",
           {{"status", "'RESOLVED'"},
            {"closed_at", "now()"},
            {"closed_by", "'x'"},
            {"decision", "'PROCESS'"}}},
      };
  for (const auto& [constraint, given] : refused) {
    EXPECT_THAT(refusal(deadLetter(given)), ::testing::HasSubstr(constraint));
  }
}

TEST_F(Schema, KnowsTheWordsOfDeadLettersThatTheDomainHas) {
  int round = 0;
  for (const auto& [source, sourceName] : domain::kDeadLetterSourceNames) {
    for (const auto& [reason, reasonName] : domain::kDeadLetterReasonNames) {
      EXPECT_EQ(refusal(deadLetter({{"source", std::format("'{}'", sourceName)},
                                    {"reason", std::format("'{}'", reasonName)},
                                    {"retry_round", std::to_string(++round)}})),
                "accepted")
          << sourceName << ' ' << reasonName;
    }
  }
  for (const auto& row : domain::kDeadLetterDecisions) {
    EXPECT_EQ(refusal(deadLetter({{"status", "'RESOLVED'"},
                                  {"closed_at", "now()"},
                                  {"closed_by", "'x'"},
                                  {"decision", std::format("'{}'", row.name)},
                                  {"retry_round", std::to_string(++round)}})),
              "accepted")
        << row.name;
  }
}

TEST_F(Schema, KeepsOneDeadLetterForEachRoundOfAnEventAndEachForeignMessage) {
  EXPECT_EQ(refusal(deadLetter({})), "accepted");
  EXPECT_EQ(refusal(deadLetter({{"retry_round", "1"}})), "accepted");
  EXPECT_THAT(refusal(deadLetter({{"retry_round", "1"}})),
              ::testing::HasSubstr("dead_letter_once_a_round"));
  const auto foreign =
      deadLetter({{"outbox_id", "NULL"}, {"retry_round", "NULL"}, {"digest", "sha256('a')"}});
  EXPECT_EQ(refusal(foreign), "accepted");
  EXPECT_THAT(refusal(foreign), ::testing::HasSubstr("dead_letter_foreign_once"));
}

TEST_F(Schema, KeepsAClosedDeadLetterClosed) {
  for (const std::string closed : {"RETRIED", "RESOLVED"}) {
    database_.execute("DELETE FROM dead_letter");
    database_.execute(deadLetter({}));
    EXPECT_EQ(refusal("UPDATE dead_letter SET status = '" + closed +
                      "', closed_at = now(), closed_by = 'x'"),
              "accepted");
    EXPECT_THAT(refusal("UPDATE dead_letter SET status = 'OPEN', closed_at = NULL, "
                        "closed_by = NULL"),
                ::testing::HasSubstr("a closed dead letter stays closed"));
    EXPECT_EQ(refusal("UPDATE dead_letter SET status = status, note = 'n'"), "accepted");
  }
}

}  // namespace
}  // namespace auth_errors::tests
