// A secret of each kind in each field, sent to the real service: it must be found nowhere, neither
// in a table nor in the log, an answer or a metric.
#include <array>
#include <format>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/submission.h"
#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"

namespace auth_errors::tests {
namespace {

using domain::RedactionKind;
using ::testing::AnyOf;

struct Plant {
  RedactionKind kind;
  std::string text;
  std::string secret;  // the part of it that must not be seen again
};

// Vendors' keys are put together here, so that scanners of repositories do not take them for real.
std::vector<Plant> plants() {
  const std::string random = "16C7e42F292c6912E7710c838347Ae178B4a";
  const std::string jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZHNpZ25hdHVyZQ";
  return {
      {RedactionKind::authorization, "Authorization: Digest planted-digest-9f8e7d",
       "planted-digest"},
      {RedactionKind::bearer, "sent Bearer plantedbearer0123456789", "plantedbearer"},
      {RedactionKind::basic, "header Basic cGxhbnRlZDpiYXNpY3NlY3JldA==", "cGxhbnRlZDpi"},
      {RedactionKind::jwt, "got " + jwt + " back", "cGxhbnRlZHNpZ25hdHVyZQ"},
      {RedactionKind::cookie, "Cookie: theme=dark; sid=planted-cookie-77", "planted-cookie"},
      {RedactionKind::session, "JSESSIONID=PLANTEDSESSION0123456789AB", "PLANTEDSESSION"},
      {RedactionKind::password, "login failed, password=planted-Pa55word", "planted-Pa55word"},
      {RedactionKind::secret, "client_secret: planted-clientsecret-1", "planted-clientsecret"},
      {RedactionKind::token, "refresh_token=planted-refresh-22", "planted-refresh"},
      {RedactionKind::apiKey, "api_key=planted-apikey-33", "planted-apikey"},
      {RedactionKind::otp, "otp=918273", "918273"},
      {RedactionKind::signature, "https://x.example/f?X-Amz-Signature=0badc0de0badc0de0badc0de",
       "0badc0de0badc0de"},
      {RedactionKind::oauth, "https://x.example/cb?code=plantedcode44&state=plantedstate55",
       "plantedcode44"},
      {RedactionKind::saml, "SAMLResponse=UGxhbnRlZFNhbWxSZXNwb25zZURhdGE=", "UGxhbnRlZFNhbWw"},
      {RedactionKind::pem,
       "-----BEGIN PRIVATE KEY-----\nUGxhbnRlZFBlbUJsb2NrMDEyMzQ1\n-----END PRIVATE KEY-----",
       "UGxhbnRlZFBlbUJsb2Nr"},
      {RedactionKind::userinfo, "postgresql://app:plantedurlpass@db.example/x", "plantedurlpass"},
      {RedactionKind::aws,
       "AKIA"
       "QPLANTEDKEY12345",
       "QPLANTEDKEY12345"},
      {RedactionKind::azure,
       "AccountName=x;AccountKey="
       "UGxhbnRlZEF6dXJlS2V5UGxhbnRlZEF6dXJlS2V5UGxhbnRlZEF6dXJlS2V5MDEyMw=="
       ";EndpointSuffix=y",
       "UGxhbnRlZEF6dXJlS2V5"},
      {RedactionKind::github,
       "ghp"
       "_" +
           random,
       random},
      {RedactionKind::gitlab,
       "glpat"
       "-PLANTEDgitlab1234567",
       "PLANTEDgitlab1234567"},
      {RedactionKind::slack,
       "xoxb"
       "-123456789012-PLANTEDslack1234567890",
       "PLANTEDslack"},
      {RedactionKind::stripe,
       "sk_"
       "live_PLANTEDstripe0123456789abc",
       "PLANTEDstripe"},
      {RedactionKind::google,
       "AIza"
       "SyPLANTEDgoogle0123456789abcdefghijk",
       "PLANTEDgoogle"},
      {RedactionKind::vendorKey,
       "aek"
       "_PLANTEDowndkeyPLANTEDowndkeyPLANTEDowndkey1",
       "PLANTEDowndkey"},
      {RedactionKind::passwordHash,
       "$2b$12$PLANTEDhashPLANTEDhashPLuKX1h2J3k4L5m6N7o8P9q0R1s2T3u4V", "PLANTEDhash"},
      {RedactionKind::email, "mail to planted.person@example.org bounced", "planted.person"},
      {RedactionKind::card, "card 4111 1111 1111 1111 declined", "1111 1111 1111"},
      {RedactionKind::userId, "planted-user-66 is locked", "planted-user-66"},
      {RedactionKind::sessionId, "planted-sess-77 expired", "planted-sess-77"},
  };
}

class PlantedSecrets : public ApiTest {
 protected:
  PlantedSecrets() : ApiTest({{"AUTH_ERRORS_LOG_LEVEL", "debug"}}) {}

  // Every row of every table of the service as text.
  std::string everythingStored() {
    std::string all;
    for (const TextRow& table : database_.queryText(
             "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN "
             "('pg_catalog', 'information_schema')")) {
      for (const TextRow& row :
           database_.queryText("SELECT t::text FROM " + table.front().value() + " AS t")) {
        all += row.front().value_or("") + "\n";
      }
    }
    return all;
  }
};

std::string bodyWith(const std::string& requestId, std::string_view field,
                     const std::string& text) {
  Json::Value body;
  body["requestId"] = requestId;
  body["occurredAt"] = "2026-01-31T09:30:00Z";
  body["httpStatus"] = 401;
  body["exceptionClass"] = "BadCredentialsException";
  body["stacktrace"] = "at a.B.c(B.java:1)";
  body["userId"] = "planted-user-66";
  body["sessionId"] = "planted-sess-77";
  body[std::string(field)] = text;
  return body.toStyledString();
}

TEST_F(PlantedSecrets, AreFoundNowhere) {
  const std::vector<Plant> all = plants();
  // Every kind but the last resort, which stands for a text that could not be settled.
  ASSERT_EQ(all.size() + 1, domain::kRedactionKinds.size());
  std::string answers;
  std::size_t accepted = 0;
  std::size_t sent = 0;
  for (const Plant& plant : all) {
    for (const domain::TextRule& rule : domain::kTextRules) {
      // A request id is taken as it is, so what it must not be made of is the sender's to know.
      const bool ofAnActor =
          plant.kind == RedactionKind::userId || plant.kind == RedactionKind::sessionId;
      if (ofAnActor && rule.field == domain::TextField::requestId) {
        continue;
      }
      const std::string id = std::format("{}-{}", domain::labelOf(plant.kind), rule.name);
      const HttpResponse response = post("/api/auth-errors", bodyWith(id, rule.name, plant.text));
      ASSERT_THAT(response.status, AnyOf(201, 400)) << id << response.body;
      accepted += response.status == 201 ? 1 : 0;
      ++sent;
      answers += response.body;
      // Whoever puts one into an address or a header must not find it in the log either.
      answers +=
          get("/api/auth-errors?exceptionClass=" + plant.secret.substr(0, plant.secret.find(' ')))
              .body;
    }
    answers += send("GET", "/api/auth-errors", {{"Authorization", "Bearer " + plant.secret}}).body;
    if (!plant.text.contains('\n')) {
      const HttpResponse named = send("GET", "/api/auth-errors", {{"X-Request-Id", plant.text}});
      answers += named.body + std::string(named.header("X-Request-Id"));
    }
    answers += post("/api/auth-errors", "{\"" + plant.secret + "\":1,}").body;
  }
  // Names may be too short for a secret, a request id with one is refused; texts are all accepted.
  EXPECT_GT(accepted, all.size() * 8);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), std::to_string(accepted));

  const std::string stored = everythingStored();
  const std::string log = service_.logText();
  const std::string counted = metrics();
  ASSERT_GT(stored.size(), accepted * 100);
  for (const Plant& plant : all) {
    const std::string_view label = domain::labelOf(plant.kind);
    EXPECT_EQ(stored.find(plant.secret), std::string::npos) << label << " is stored";
    EXPECT_EQ(log.find(plant.secret), std::string::npos) << label << " is in the log";
    EXPECT_EQ(answers.find(plant.secret), std::string::npos) << label << " is in an answer";
    EXPECT_EQ(counted.find(plant.secret), std::string::npos) << label << " is in a metric";
    EXPECT_NE(stored.find(domain::markerOf(plant.kind)), std::string::npos)
        << "nothing was redacted as " << label;
    EXPECT_NE(counted.find(std::format("kind=\"{}\"", label)), std::string::npos) << label;
  }
  RecordProperty("sent", static_cast<int>(sent));
}

}  // namespace
}  // namespace auth_errors::tests
