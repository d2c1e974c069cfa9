// What the schema enforces, whatever the code does.
#include <algorithm>
#include <format>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/clusters/cluster.h"
#include "domain/errors/auth_error_status.h"
#include "domain/errors/auth_error_transitions.h"
#include "domain/errors/dead_letter.h"
#include "domain/errors/decision.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

class Schema : public ::testing::Test {
 protected:
  // The name of the violated constraint, or the server's message.
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

TEST_F(Schema, AcceptsExactlyTheStatusesOfTheDomain) {
  for (const auto& [status, name] : domain::kAuthErrorStatusNames) {
    insertError(std::string(name), std::string(name));
  }
  EXPECT_THAT(refusal("UPDATE auth_error SET status = 'DONE' WHERE dedup_key = 'NEW'"),
              ::testing::HasSubstr("auth_error_status_known"));
}

TEST_F(Schema, AcceptsExactlyTheDecisionsOfTheDomain) {
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
TEST_F(Schema, AllowsOneErrorPerRequestId) {
  insertError("same");
  EXPECT_THROW(insertError("same"), std::runtime_error);
  EXPECT_THAT(refusal("UPDATE auth_error SET dedup_key = 'other'"),
              ::testing::HasSubstr("never changes"));
}

// Invariant 5.
TEST_F(Schema, NeverLeavesATerminalStatus) {
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
TEST_F(Schema, ForbidsChangingAnEvent) {
  insertMessage();
  for (const std::string change : {R"(payload = '{"authErrorId":1,"x":2}')", "event_type = 'other'",
                                   "idempotency_key = 'auth_error:other:1'",
                                   "event_id = gen_random_uuid()", "event_id = NULL"}) {
    EXPECT_THAT(refusal("UPDATE outbox_message SET " + change),
                ::testing::HasSubstr("an event never changes"))
        << change;
  }
  EXPECT_THROW(insertMessage(), std::runtime_error);
}

// The previous version does not set the column.
TEST_F(Schema, GivesEveryNewEventAnIdButNotLedgerRows) {
  insertMessage();
  EXPECT_EQ(database_.queryValue("SELECT event_id IS NULL FROM outbox_message"), "f");
  database_.execute(
      "INSERT INTO processed_message (outbox_id, status, retry_count, created_at, updated_at) "
      "VALUES (1, 'PENDING', 0, now(), now())");
  EXPECT_EQ(database_.queryValue("SELECT event_id IS NULL FROM processed_message"), "t");
}

TEST_F(Schema, HasValidatedTheFormOfDigestVersions) {
  EXPECT_EQ(database_.queryValue("SELECT convalidated FROM pg_constraint WHERE conname = "
                                 "'auth_error_content_digest_version_form'"),
            "t");
}

TEST_F(Schema, AllowsOneOpenReScrubWithItsVersion) {
  const auto insert = [this](std::string_view kind, std::string_view cluster,
                             std::string_view version, std::string_view status) {
    return refusal(std::format(
        "INSERT INTO job (kind, status, cluster_id, scrub_version, requested_by, total, examined, "
        "changed, position, last_position, failures, created_at, finished_at) VALUES ('{0}', "
        "'{1}', {2}, {3}, 'someone', 0, 0, 0, 0, 0, 0, now(), CASE '{1}' WHEN 'DONE' THEN now() "
        "END)",
        kind, status, cluster, version));
  };
  EXPECT_EQ(insert("scrub", "0", "'2'", "DONE"), "accepted");
  EXPECT_EQ(insert("scrub", "0", "'2'", "QUEUED"), "accepted");
  EXPECT_THAT(insert("scrub", "0", "'3'", "QUEUED"), ::testing::HasSubstr("job_one_open_scrub"));
  EXPECT_THAT(insert("scrub", "0", "NULL", "DONE"), ::testing::HasSubstr("job_scrubs_everything"));
  EXPECT_THAT(insert("scrub", "1", "'2'", "DONE"), ::testing::HasSubstr("job_scrubs_everything"));
  EXPECT_THAT(insert("scrub", "NULL", "'2'", "DONE"), ::testing::HasSubstr("cluster_id"));
  EXPECT_THAT(insert("scrub", "0", "repeat('2', 65)", "DONE"),
              ::testing::HasSubstr("job_scrub_version_length"));
}

// The previous version sets neither column.
TEST_F(Schema, AcceptsErrorsWithoutAScrubberVersion) {
  insertError();
  EXPECT_EQ(database_.queryValue("SELECT scrub_version IS NULL FROM auth_error"), "t");
  EXPECT_THAT(refusal("UPDATE auth_error SET scrub_version = ''"),
              ::testing::HasSubstr("auth_error_scrub_version_length"));
}

TEST_F(Schema, AllowsOneInstallation) {
  EXPECT_THAT(refusal("INSERT INTO installation VALUES (true, gen_random_uuid(), now())"),
              ::testing::HasSubstr("installation_pkey"));
  EXPECT_THAT(refusal("INSERT INTO installation VALUES (false, gen_random_uuid(), now())"),
              ::testing::HasSubstr("installation_one_row"));
}

// Invariant 3.
TEST_F(Schema, DerivesIdempotencyKeysFromTheErrorIdOnly) {
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

TEST_F(Schema, ChecksKeysAndKeepsRevokedOnesRevoked) {
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

TEST_F(Schema, HasNoLedgerDefaultsAndOneRowPerMessage) {
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

TEST_F(Schema, ChecksTheFormOfHashes) {
  insertError();
  for (const std::string& bad :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
        std::string(63, 'a') + "g", std::string(63, 'a') + "\n", "\u00e9" + std::string(62, 'a')}) {
    EXPECT_THAT(refusal("UPDATE auth_error SET stack_hash = '" + bad + "'"),
                ::testing::HasSubstr("auth_error_stack_hash_is_sha256"))
        << bad;
  }
  EXPECT_EQ(refusal("UPDATE auth_error SET stack_hash = repeat('0af9', 16)"), "accepted");
}

TEST_F(Schema, RefusesADigestVersionWithoutADigest) {
  insertError();
  const auto set = [this](const std::string& digest, const std::string& version) {
    return refusal("UPDATE auth_error SET content_digest = " + digest +
                   ", content_digest_version = " + version);
  };
  EXPECT_EQ(set("decode(md5('a'), 'hex')", "NULL"), "accepted");
  EXPECT_EQ(set("decode(md5('a'), 'hex')", "'1.1.0a1b2c3d4e5f'"), "accepted");
  for (const auto& [digest, version] : std::vector<std::pair<std::string, std::string>>{
           {"NULL", "'1'"},
           {"decode(md5('a'), 'hex')", "''"},
           {"decode(md5('a'), 'hex')", "repeat('1', 65)"}}) {
    EXPECT_THAT(set(digest, version),
                ::testing::HasSubstr("auth_error_content_digest_version_form"))
        << version;
  }
}

TEST_F(Schema, AllowsOneFingerprintPerVersionOfTheActorKeys) {
  const auto insert = [this](const std::string& version, const std::string& fingerprint,
                             const std::string& by = "here") {
    return refusal(std::format("INSERT INTO actor_key VALUES ({}, '{}', now(), '{}')", version,
                               fingerprint, by));
  };
  const std::string fingerprint(32, 'a');
  EXPECT_EQ(insert("1", fingerprint), "accepted");
  EXPECT_THAT(insert("1", fingerprint), ::testing::HasSubstr("actor_key_pkey"));
  for (const std::string version : {"0", "-1", "65536"}) {
    EXPECT_THAT(insert(version, fingerprint), ::testing::HasSubstr("actor_key_version_range"));
  }
  for (const std::string& other :
       {std::string(31, 'a'), std::string(33, 'a'), std::string(32, 'A'), std::string(32, 'g')}) {
    EXPECT_THAT(insert("2", other), ::testing::HasSubstr("actor_key_fingerprint_form"));
  }
  EXPECT_THAT(insert("2", fingerprint, ""), ::testing::HasSubstr("actor_key_seen_by_someone"));
}

TEST_F(Schema, ChecksTheFormOfPseudonyms) {
  insertError();
  const std::string digest = "Az09_-" + std::string(37, 'p');
  for (const std::string_view column :
       {"user_pseudonym", "session_pseudonym", "client_ip_pseudonym"}) {
    const auto set = [&](const std::string& value) {
      return refusal(std::format("UPDATE auth_error SET {} = '{}'", column, value));
    };
    for (const std::string version : {"v1:", "v90:", "v99999:"}) {
      EXPECT_EQ(set(version + digest), "accepted");
    }
    for (const std::string& bad :
         {std::string(), digest, "v:" + digest, "v0:" + digest, "v01:" + digest, "1:" + digest,
          "v100000:" + digest, "v1:" + digest + "p", "v1:" + digest.substr(1),
          "v12:" + digest.substr(1), "v1:" + digest.substr(1) + "=",
          "v1:" + digest.substr(1) + "\n", "v1:" + digest + ":", "v1::" + digest.substr(1),
          "V1:" + digest, "v1:\u00e9" + digest.substr(2)}) {
      EXPECT_THAT(set(bad), ::testing::HasSubstr(std::format("auth_error_{}_form", column))) << bad;
    }
  }
}

TEST_F(Schema, ChecksTheFormOfTraceparentsAndRounds) {
  insertMessage();
  EXPECT_EQ(refusal("UPDATE outbox_message SET traceparent = "
                    "'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', retry_round = 3"),
            "accepted");
  for (const std::string bad : {"", "x", "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n",
                                "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
                                "0-00af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-101"}) {
    EXPECT_THAT(refusal("UPDATE outbox_message SET traceparent = '" + bad + "'"),
                ::testing::HasSubstr("outbox_message_traceparent_form"))
        << bad;
  }
  EXPECT_THAT(refusal("UPDATE outbox_message SET retry_round = -1"),
              ::testing::HasSubstr("outbox_message_retry_round_not_negative"));
}

TEST_F(Schema, AllowsOneSweeperMark) {
  EXPECT_EQ(database_.queryValue("SELECT swept_until FROM sweeper_mark"), "-infinity");
  EXPECT_THAT(refusal("INSERT INTO sweeper_mark VALUES (true, now())"),
              ::testing::HasSubstr("sweeper_mark_pkey"));
  EXPECT_THAT(refusal("INSERT INTO sweeper_mark VALUES (false, now())"),
              ::testing::HasSubstr("sweeper_mark_one_row"));
}

TEST_F(Schema, ChecksTheFormOfAttempts) {
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

// The CHECK duplicates the domain's table; this compares the two.
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
      // A change to the same state is not a transition.
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

using Columns = std::vector<std::pair<std::string, std::string>>;

// An INSERT of a row's required columns, some with another value, and of further columns.
std::string insertInto(const std::string& table, Columns columns, Columns given) {
  for (auto& [name, value] : given) {
    const auto known = std::ranges::find(columns, name, &Columns::value_type::first);
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
  return "INSERT INTO " + table + " (" + names + ") VALUES (" + values + ")";
}

std::string deadLetter(Columns given) {
  return insertInto("dead_letter",
                    {{"status", "'OPEN'"},
                     {"source", "'consumer'"},
                     {"reason", "'rejected'"},
                     {"outbox_id", "1"},
                     {"retry_round", "0"},
                     {"attempts", "'[]'"},
                     {"created_at", "now()"}},
                    std::move(given));
}

std::string cluster(Columns given) {
  return insertInto("cluster",
                    {{"title", "'t'"},
                     {"exception_class", "'E'"},
                     {"state", "'OPEN'"},
                     {"state_changed_at", "now()"},
                     {"state_changed_by", "'someone'"},
                     {"sample_error_id", "1"},
                     {"error_count", "0"},
                     {"actor_count", "0"},
                     {"first_seen_at", "now()"},
                     {"last_seen_at", "now()"},
                     {"created_at", "now()"}},
                    std::move(given));
}

std::string job(Columns given) {
  return insertInto("job",
                    {{"kind", "'decide'"},
                     {"status", "'QUEUED'"},
                     {"cluster_id", "1"},
                     {"decision", "'IGNORE'"},
                     {"requested_by", "'someone'"},
                     {"total", "5"},
                     {"examined", "0"},
                     {"changed", "0"},
                     {"position", "0"},
                     {"last_position", "9"},
                     {"failures", "0"},
                     {"created_at", "now()"}},
                    std::move(given));
}

std::string rule(Columns given) {
  return insertInto("rule",
                    {{"name", "'r' || (SELECT count(*) FROM rule)"},
                     {"position", "1"},
                     {"enabled", "true"},
                     {"match_service_name", "'login'"},
                     {"action", "'IGNORE'"},
                     {"hit_count", "0"},
                     {"failure_count", "0"},
                     {"scanned_until", "'-infinity'"},
                     {"scanned_id", "0"},
                     {"created_at", "now()"},
                     {"created_by", "'someone'"},
                     {"changed_at", "now()"},
                     {"changed_by", "'someone'"}},
                    std::move(given));
}

// A constraint, and a row that violates it.
using Refused = std::vector<std::pair<std::string, Columns>>;

TEST_F(Schema, ChecksTheFormOfDeadLetters) {
  const Refused refused = {
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

TEST_F(Schema, AcceptsTheDeadLetterNamesOfTheDomain) {
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

TEST_F(Schema, AllowsOneDeadLetterPerRoundOfAnEventAndPerForeignMessage) {
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

TEST_F(Schema, ChecksTheFormOfClusters) {
  EXPECT_EQ(refusal(cluster({})), "accepted");
  const Refused refused = {
      {"cluster_title_length", {{"title", "''"}}},
      {"cluster_title_length", {{"title", "repeat('t', 256)"}}},
      {"cluster_exception_class_length", {{"exception_class", "''"}}},
      {"cluster_state_known", {{"state", "'CLOSED'"}}},
      {"cluster_state_changed_by_someone", {{"state_changed_by", "''"}}},
      {"cluster_state_note_length", {{"state_note", "repeat('n', 1001)"}}},
      {"cluster_muted_one_way",
       {{"muted_until", "now()"}, {"muted_until_count", "5"}, {"muted_by", "'x'"}}},
      {"cluster_muted_by_someone", {{"muted_until", "now()"}}},
      {"cluster_muted_by_someone", {{"muted_by", "'x'"}}},
      {"cluster_error_count_not_negative", {{"error_count", "-1"}}},
      {"cluster_actor_count_not_negative", {{"actor_count", "-1"}}},
      {"cluster_seen_in_order", {{"first_seen_at", "now() + interval '1 second'"}}},
  };
  for (const auto& [constraint, given] : refused) {
    EXPECT_THAT(refusal(cluster(given)), ::testing::HasSubstr(constraint));
  }
  EXPECT_THAT(refusal("UPDATE cluster SET merged_into = id"),
              ::testing::HasSubstr("cluster_not_merged_into_itself"));
}

// The CHECK duplicates the domain's table; this compares the two.
TEST_F(Schema, LogsExactlyTheClusterTransitionsOfTheDomain) {
  for (const auto& [from, fromName] : domain::kClusterStateNames) {
    for (const auto& [to, toName] : domain::kClusterStateNames) {
      const bool known = std::ranges::any_of(domain::kClusterTransitions,
                                             [from, to](const domain::ClusterTransition& row) {
                                               return row.from == from && row.to == to;
                                             });
      EXPECT_THAT(
          refusal(std::format("INSERT INTO cluster_transition (cluster_id, from_state, to_state, "
                              "cause, changed_by, changed_at) VALUES (1, '{}', '{}', 'c', 'x', "
                              "now())",
                              fromName, toName)),
          ::testing::HasSubstr(known ? "accepted" : "cluster_transition_allowed"))
          << fromName << " to " << toName;
    }
  }
}

TEST_F(Schema, ChecksTheFormOfClusterRows) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"cluster_route_stack_hash_is_sha256",
       "INSERT INTO cluster_route VALUES ('abc', 2, 1, '{}', now())"},
      {"cluster_route_fingerprint_is_object",
       "INSERT INTO cluster_route VALUES (repeat('a', 64), 2, 1, '[]', now())"},
      {"cluster_split_goes_elsewhere",
       "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_message, created_at, "
       "created_by) VALUES (1, 1, 'm', now(), 'x')"},
      {"cluster_split_matches_something",
       "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, created_at, created_by) VALUES "
       "(1, 2, now(), 'x')"},
      {"cluster_split_matches_something",
       "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_message, "
       "match_cluster_id, created_at, created_by) VALUES (1, 2, 'm', 3, now(), 'x')"},
      {"cluster_member_placed_by_someone",
       "INSERT INTO cluster_member VALUES (1, 1, repeat('a', 64), now(), '')"},
      {"cluster_delta_one_more_or_less",
       "INSERT INTO cluster_delta (cluster_id, change, occurred_at, stack_hash) VALUES (1, 2, "
       "now(), 'h')"},
      {"cluster_facet_kind_known",
       "INSERT INTO cluster_facet VALUES (1, 'colour', 'red', 1, now())"},
      {"cluster_activity_grain_known", "INSERT INTO cluster_activity VALUES (1, 'day', now(), 1)"},
      {"delta_flush_pkey", "INSERT INTO delta_flush VALUES (true, now())"},
      {"delta_flush_one_row", "INSERT INTO delta_flush VALUES (false, now())"},
      {"reanalysis_mark_pkey", "INSERT INTO reanalysis_mark VALUES (true, 0, 0)"},
      {"reanalysis_mark_one_row", "INSERT INTO reanalysis_mark VALUES (false, 0, 0)"},
      {"rule_delta_counts_not_negative",
       "INSERT INTO rule_delta (rule_id, hits, failures, happened_at) VALUES (1, -1, 0, now())"},
  };
  for (const auto& [constraint, sql] : refused) {
    EXPECT_THAT(refusal(sql), ::testing::HasSubstr(constraint));
  }
}

TEST_F(Schema, ChecksTheFormOfJobs) {
  EXPECT_EQ(refusal(job({})), "accepted");
  const Refused refused = {
      {"job_kind_known", {{"kind", "'dance'"}, {"decision", "NULL"}}},
      {"job_status_known", {{"status", "'LATE'"}}},
      {"job_decides_or_moves", {{"decision", "NULL"}}},
      {"job_decides_or_moves", {{"kind", "'move'"}, {"decision", "NULL"}}},
      {"job_decides_or_moves", {{"target_cluster_id", "2"}}},
      {"job_decision_known", {{"decision", "'DANCE'"}}},
      {"job_note_length", {{"note", "''"}}},
      {"job_requested_by_someone", {{"requested_by", "''"}}},
      {"job_progress_in_order", {{"changed", "1"}}},
      {"job_progress_in_order", {{"failures", "-1"}}},
      {"job_leased_while_running", {{"status", "'RUNNING'"}, {"lease_owner", "'o'"}}},
      {"job_leased_while_running", {{"lease_owner", "'o'"}, {"lease_until", "now()"}}},
      {"job_ended_at_some_time", {{"status", "'DONE'"}}},
      {"job_ended_at_some_time", {{"finished_at", "now()"}}},
      {"job_cancelled_by_someone", {{"status", "'CANCELLED'"}, {"finished_at", "now()"}}},
      {"job_failed_with_error", {{"status", "'FAILED'"}, {"finished_at", "now()"}}},
  };
  for (const auto& [constraint, given] : refused) {
    EXPECT_THAT(refusal(job(given)), ::testing::HasSubstr(constraint));
  }
}

TEST_F(Schema, KeepsAFinishedJobFinished) {
  database_.execute(job({}));
  EXPECT_EQ(refusal("UPDATE job SET status = 'DONE', finished_at = now()"), "accepted");
  EXPECT_THAT(refusal("UPDATE job SET status = 'QUEUED', finished_at = NULL"),
              ::testing::HasSubstr("a job that has ended stays ended"));
}

TEST_F(Schema, ChecksTheFormOfRules) {
  EXPECT_EQ(refusal(rule({})), "accepted");
  const Refused refused = {
      {"rule_name_unique", {{"name", "'r0'"}}},
      {"rule_name_form", {{"name", "'a b'"}}},
      {"rule_position_range", {{"position", "0"}}},
      {"rule_matches_something", {{"match_service_name", "NULL"}}},
      {"rule_action_known", {{"action", "'DANCE'"}}},
      {"rule_retries_only_with_age", {{"action", "'RETRY'"}}},
      {"rule_note_length", {{"note", "''"}}},
      {"rule_after_seconds_range", {{"after_seconds", "59"}}},
      {"rule_after_seconds_range", {{"after_seconds", "31536001"}}},
      {"rule_counts_not_negative", {{"hit_count", "-1"}}},
      {"rule_last_failure_length", {{"last_failure", "''"}}},
      {"rule_by_someone", {{"changed_by", "''"}}},
  };
  for (const auto& [constraint, given] : refused) {
    EXPECT_THAT(refusal(rule(given)), ::testing::HasSubstr(constraint));
  }
  EXPECT_EQ(refusal(rule({{"action", "'RETRY'"}, {"after_seconds", "60"}})), "accepted");
}

}  // namespace
}  // namespace auth_errors::tests
