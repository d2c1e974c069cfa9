// A secret of each kind in every place where a client, an operator or a stranger at the broker can
// put one. None may appear in a table, queue, log, response, export or metric.
#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/writer.h>

#include "domain/errors/submission.h"
#include "domain/events/event_descriptor.h"
#include "domain/scrub/scrubber.h"
#include "platform/messaging/topology.h"
#include "tests/support/amqp_client.h"
#include "tests/support/api_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"
#include "tests/support/postgres_server.h"
#include "tests/support/short_rungs.h"

namespace auth_errors::tests {
namespace {

using domain::RedactionKind;
using ::testing::AnyOf;

struct Plant {
  RedactionKind kind;
  std::string text;
  std::string secret;  // the part that must not appear anywhere
};

constexpr std::string_view kOrganisationPattern = "CANARY-[0-9]{6}";

// Recognised only by the fields submitted beside them.
bool isActorKind(RedactionKind kind) {
  return kind == RedactionKind::userId || kind == RedactionKind::sessionId ||
         kind == RedactionKind::clientIp;
}

// Vendors' keys are assembled here so that repository scanners do not report them.
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
      {RedactionKind::clientIp, "refused [2001:DB8:0:0::7a:77]:49152", "::7a:77"},
      {RedactionKind::pattern, "badge CANARY-424242 is unknown", "CANARY-424242"},
      {RedactionKind::opaque, "value q7RtZx0Lw9KpV2mN4sBd8HcYfG1jEuAo is unknown",
       "q7RtZx0Lw9KpV2mN4sBd8HcYfG1jEuAo"},
  };
}

// Every kind except the last resort, which replaces a text that never reached a fixed point.
std::vector<Plant> plantsOfEveryKind() {
  std::vector<Plant> all = plants();
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    EXPECT_TRUE(row.kind == RedactionKind::wholeText ||
                std::ranges::contains(all, row.kind, &Plant::kind))
        << row.label << " is never planted";
  }
  return all;
}

// Every row of every table of the service as text.
std::string everythingIn(PlainConnection& database) {
  std::string all;
  for (const TextRow& table : database.queryText(
           "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN "
           "('pg_catalog', 'information_schema')")) {
    for (const TextRow& row :
         database.queryText("SELECT t::text FROM " + table.front().value() + " AS t")) {
      all += row.front().value_or("") + "\n";
    }
  }
  return all;
}

class PlantedSecrets : public ApiTest {
 protected:
  PlantedSecrets()
      : ApiTest({{"AUTH_ERRORS_LOG_LEVEL", "debug"},
                 {"AUTH_ERRORS_SCRUB_PATTERNS", std::string(kOrganisationPattern)}}) {}
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
  body["clientIp"] = "2001:db8::7a:77";
  body[std::string(field)] = text;
  return body.toStyledString();
}

TEST_F(PlantedSecrets, AppearNowhere) {
  const std::vector<Plant> all = plantsOfEveryKind();
  std::string answers;
  std::size_t accepted = 0;
  std::size_t sent = 0;
  for (const Plant& plant : all) {
    for (const domain::TextRule& rule : domain::kTextRules) {
      // Request ids are stored verbatim, so the sender must keep secrets out of them.
      if (isActorKind(plant.kind) && rule.field == domain::TextField::requestId) {
        continue;
      }
      const std::string id = std::format("{}-{}", domain::labelOf(plant.kind), rule.name);
      const HttpResponse response = post("/api/auth-errors", bodyWith(id, rule.name, plant.text));
      ASSERT_THAT(response.status, AnyOf(201, 400)) << id << response.body;
      accepted += response.status == 201 ? 1 : 0;
      ++sent;
      answers += response.body;
      // Secrets in a URL or a header must not reach the log either.
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
  // A name may be too short for a secret and a request id containing one is refused, but every text
  // is accepted.
  EXPECT_GT(accepted, all.size() * 8);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), std::to_string(accepted));

  PlainConnection reader(database_.url());
  const std::string stored = everythingIn(reader);
  const std::string log = service_.logText();
  const std::string counted = metrics();
  ASSERT_GT(stored.size(), accepted * 100);
  for (const Plant& plant : all) {
    const std::string_view label = domain::labelOf(plant.kind);
    EXPECT_EQ(stored.find(plant.secret), std::string::npos) << label << " is stored";
    EXPECT_EQ(log.find(plant.secret), std::string::npos) << label << " is in the log";
    EXPECT_EQ(answers.find(plant.secret), std::string::npos) << label << " is in a response";
    EXPECT_EQ(counted.find(plant.secret), std::string::npos) << label << " is in a metric";
    EXPECT_NE(stored.find(domain::markerOf(plant.kind)), std::string::npos)
        << "nothing was redacted as " << label;
    EXPECT_NE(counted.find(std::format("kind=\"{}\"", label)), std::string::npos) << label;
  }
  RecordProperty("sent", static_cast<int>(sent));
}

std::string addressPart(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    encoded += std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

// The whole service with all its roles, its broker, and a PostgreSQL that logs every statement with
// its parameters.
class Canary : public testing::Test {
 protected:
  Canary()
      : postgres_(
            {.tls = false,
             .settings = {"log_min_duration_statement=0", "log_parameter_max_length_on_error=-1",
                          "log_connections=on", "log_error_verbosity=verbose"}}),
        reader_(prepared(postgres_)),
        service_(
            {.databaseUrl = postgres_.url(),
             .environment = {{"AMQP_URL", brokerUrl_},
                             {"AUTH_ERRORS_BROKER_PREFIX", prefix_},
                             {"AUTH_ERRORS_RETRY_DELAYS_MS", kShortRungsSetting},
                             {"AUTH_ERRORS_LOG_LEVEL", "debug"},
                             {"AUTH_ERRORS_ACTOR_KEYS", "1:" + std::string(64, 'k')},
                             {"AUTH_ERRORS_SCRUB_PATTERNS", std::string(kOrganisationPattern)}},
             .headers = {}}) {}

  void TearDown() override {
    service_.terminate();
    for (const auto& queue : topology_.queues) {
      broker_.deleteQueue(queue.name);
    }
    broker_.deleteExchange(topology_.exchange);
  }

  // Every response is searched in full.
  HttpResponse send(std::string_view method, std::string_view path, Headers headers,
                    std::string_view body = {}) {
    auto response = client_.request(method, path, headers, body, kAnswerLimit);
    if (!response) {
      ADD_FAILURE() << method << " " << path << ": " << response.error().message;
      return {};
    }
    found_["an answer"] += response->body + "\n";
    for (const auto& [name, value] : response->headers) {
      found_["an answer"] += name + ": " + value + "\n";
    }
    return *std::move(response);
  }
  HttpResponse post(std::string_view path, std::string_view body,
                    std::string_view key = kOperatorKey, std::string_view type = kJsonType) {
    Headers headers = bearer(key);
    headers.emplace_back("Content-Type", type);
    return send("POST", path, std::move(headers), body);
  }
  HttpResponse get(std::string_view path) { return send("GET", path, bearer(kOperatorKey)); }

  void plantErrors(const std::vector<Plant>& all) {
    std::string array;
    std::string lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto body = [&](std::string_view way) {
        Json::Value value = parseJson(bodyWith(std::format("{}-{}", way, i), "stacktrace",
                                               "at a.B.c(B.java:1)\n" + all[i].text));
        for (const std::string_view field :
             {"exceptionMessage", "rootCauseMessage", "requestUri", "userAgent", "traceId",
              "environment", "unknownField"}) {
          value[std::string(field)] = all[i].text;
        }
        value[all[i].text] = all[i].text;
        Json::StreamWriterBuilder writer;
        writer["indentation"] = "";
        return Json::writeString(writer, value);
      };
      EXPECT_EQ(post("/api/auth-errors", body("single"), kIngestKey).status, 201);
      array += (i == 0 ? "[" : ",") + body("array");
      lines += body("line") + "\n";
      post("/api/scrub/preview", body("preview"));
      const std::string half = body("half");
      post("/api/auth-errors", half.substr(0, half.size() - 1), kIngestKey);
    }
    EXPECT_EQ(post("/api/auth-errors/batch", array + "]", kIngestKey).status, 200);
    EXPECT_EQ(post("/api/auth-errors/batch", lines, kIngestKey, kLinesType).status, 200);
    post("/api/auth-errors/batch", array, kIngestKey);
  }

  void plantInRequests(const Plant& plant) {
    const std::string part = addressPart(plant.text);
    if (!plant.text.contains('\n')) {
      Headers headers = bearer(kOperatorKey);
      for (const std::string_view header :
           {"User-Agent", "X-Request-Id", "traceparent", "Cookie", "X-Forwarded-For",
            "Idempotency-Key", "Accept", "If-None-Match"}) {
        headers.emplace_back(header, plant.text);
      }
      send("GET", "/api/auth-errors?limit=1", headers);
      for (const std::string_view header : {"Authorization", "Content-Type", "Content-Encoding"}) {
        Headers one = header == "Authorization" ? Headers{} : bearer(kIngestKey);
        one.emplace_back(header, plant.text);
        send("POST", "/api/auth-errors", one, "{}");
      }
    }
    send("GET", "/api/auth-errors", bearer(plant.secret.substr(0, plant.secret.find(' '))));
    const std::string odd =
        std::format("limit={0}&cursor={0}&status={0}&stackHash={0}&{0}=1", part);
    const std::string searched =
        std::format("from=2026-01-31T00:00:00Z&to=2026-02-01T00:00:00Z&q={}", part);
    for (const std::string_view list :
         {"/api/auth-errors", "/api/auth-errors/export", "/api/clusters", "/api/dead-letters",
          "/api/jobs", "/api/rules", "/api/keys"}) {
      get(std::format("{}?{}", list, odd));
      get(std::format("{}?{}", list, searched));
      get(std::format("{}?serviceName={}", list, part));
    }
    get("/api/dead-letters?eventType=" + part);
    get("/" + part);
    send("DELETE", "/nothing/" + part, bearer(kOperatorKey));
  }

  // Plants into every field that operators write, and into undefined names.
  void plantByOperators(const Plant& plant, std::size_t number) {
    const std::string text = jsonString(plant.text);
    const std::string fields = std::format(
        R"("note":{0},"title":{0},"reason":{0},"state":{0},"type":{0},"action":{0},"until":{0},)"
        R"("userId":{0},"q":{0},"match":{{"message":{0},{0}:1}},"name":{0},{0}:{0})",
        text);
    for (const std::string& route : routes_) {
      std::string path = route;
      if (const auto id = path.find("{id}"); id != std::string::npos) {
        path.replace(id, 4, std::to_string(number + 1));
      }
      post(path, "{" + fields + "}");
      post(path, "{" + fields);
      if (route != path) {
        std::string odd = route;
        get(odd.replace(odd.find("{id}"), 4, addressPart(plant.text)));
      }
    }
    EXPECT_EQ(
        post("/api/rules",
             std::format(R"({{"name":"canary-{}","enabled":false,"action":"IGNORE","note":{},)"
                         R"("match":{{"message":{},"serviceName":{}}}}})",
                         number, text, text, text))
            .status,
        201);
    EXPECT_EQ(post("/api/rules", std::format(R"({{"name":{},"action":"IGNORE",)"
                                             R"("match":{{"httpStatus":401}}}})",
                                             text))
                  .status,
              400);
    EXPECT_EQ(post("/api/keys", std::format(R"({{"name":{},"role":"viewer"}})", text)).status, 400);
    post("/api/keys",
         std::format(R"({{"name":"canary-{}","role":"ingest","serviceName":{}}})", number, text));
    post(std::format("/api/auth-errors/{}/decisions", number + 1),
         std::format(R"({{"type":"IGNORE","note":{}}})", text));
    post("/api/clusters/1/state",
         std::format(R"({{"state":"{}","note":{}}})", number % 2 == 0 ? "IGNORED" : "OPEN", text));
  }

  // Plants foreign and malformed messages in every queue, including some that resemble events.
  void plantMessages(const Plant& plant) {
    using namespace domain::event_header;
    const std::string type(domain::kRecorded.eventType);
    const std::string member = jsonString(plant.text);
    const auto event = [&](std::string_view installation) {
      AmqpBytes headers;
      headers.field(kOutboxId, 999'999)
          .field(kEventType, type)
          .field(kAggregateType, domain::kAuthErrorAggregate);
      if (!installation.empty()) {
        headers.field(kInstallationId, installation);
      }
      return headers;
    };
    const std::string odd = AmqpBytes()
                                .field("note", plant.text)
                                .field(plant.text.substr(0, 200), "1")
                                .field(kEventType, plant.text)
                                .field(kDeadLetterError, plant.text)
                                .text();
    const std::string other = "0b1c2d3e-0000-4000-8000-abcdefabcdef";
    broker_.publish(topology_.exchange, plant.text.substr(0, 200), odd, plant.text);
    broker_.publish({}, topology_.retryQueues.front().text(), odd, plant.text);
    for (const messaging::QueueName& queue : {topology_.workQueue, topology_.deadLetterQueue}) {
      broker_.publish({}, queue.text(), odd, plant.text);
      broker_.publish({}, queue.text(), event(plant.text).field("note", plant.text).text(),
                      plant.text);
      broker_.publish({}, queue.text(), event(other).text(),
                      std::format(R"({{"authErrorId":1,"requestId":"a","password":{}}})", member));
      broker_.publish({}, queue.text(), event("").field(kTraceparent, plant.text).text(),
                      std::format(R"({{"authErrorId":1,"requestId":{}}})", member));
    }
  }

  void searchQueues() {
    const auto left = [this] {
      return broker_.countMessages(topology_.workQueue) +
             broker_.countMessages(topology_.deadLetterQueue) +
             broker_.countMessages(topology_.retryQueues.front());
    };
    EXPECT_TRUE(eventually([&] { return left() == 0; }, std::chrono::seconds(30)));
    std::size_t parked = 0;
    for (const auto& queue : topology_.queues) {
      while (const auto message = broker_.get(queue.name)) {
        parked += queue.name == topology_.foreignQueue ? 1U : 0U;
        found_["a queue"] += std::format("{} {} {} {}\n", queue.name, message->routingKey,
                                         message->properties, message->body);
      }
    }
    EXPECT_GT(parked, 0U);
  }

  static std::string prepared(const PostgresServer& server) {
    prepareDatabase(server.url());
    return server.url();
  }

  std::string brokerUrl_ = environmentVariable("AMQP_URL").value();
  std::string prefix_ = std::format("canary-{:08x}", std::random_device{}());
  messaging::Topology topology_ = shortTopology(prefix_);
  PostgresServer postgres_;
  PlainConnection reader_;
  ServiceProcess service_;
  HttpClient client_ = service_.client();
  AmqpClient broker_{brokerUrl_};
  std::map<std::string, std::string> found_;  // every text by the place where it was found
  std::set<std::string> routes_;
};

TEST(CanaryOnTheCommandLine, IsNotEchoed) {
  const std::string secret = "planted-Pa55word";
  const Environment environment = {{"DATABASE_URL", serverUrl()},
                                   {"AUTH_ERRORS_PORT", "password=" + secret}};
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"serve", "--password=" + secret},
           {"password=" + secret},
           {"check-config"},
           {"keys", "create", "--name", "password=" + secret, "--role", "viewer"}}) {
    const CommandResult result = runService(arguments, environment);
    EXPECT_EQ(result.status.code, 2) << result.output;
    EXPECT_FALSE(result.output.empty());
    EXPECT_EQ(result.output.find(secret), std::string::npos) << result.output;
  }
}

TEST_F(Canary, AppearsNowhere) {
  const std::vector<Plant> all = plantsOfEveryKind();
  routes_ = routePatterns(send("GET", "/metrics", {}).body);
  std::erase_if(routes_, [](const std::string& route) { return !route.starts_with("/api/"); });
  plantErrors(all);
  const auto analysed = [this] {
    return reader_.queryValue(
        "SELECT count(*) FROM auth_error WHERE status = 'ANALYSIS_COMPLETED'");
  };
  ASSERT_TRUE(eventually([&] { return analysed() == std::to_string(3 * all.size()); },
                         std::chrono::seconds(30)))
      << analysed();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!isActorKind(all[i].kind)) {
      plantInRequests(all[i]);
      plantByOperators(all[i], i);
      plantMessages(all[i]);
    }
  }
  searchQueues();
  for (const TextRow& letter : reader_.queryText("SELECT id FROM dead_letter ORDER BY id")) {
    const Plant& plant = all[std::stoul(letter.front().value()) % all.size()];
    if (!isActorKind(plant.kind)) {
      post(std::format("/api/dead-letters/{}/resolve", letter.front().value()),
           std::format(R"({{"note":{}}})", jsonString(plant.text)));
    }
    get(std::format("/api/dead-letters/{}", letter.front().value()));
  }
  EXPECT_GT(get("/api/auth-errors/export").body.size(), all.size() * 500);
  for (const std::string& route : routes_) {
    if (!route.contains('{')) {
      get(route + "?limit=200");
    }
  }
  found_["a metric"] = send("GET", "/metrics", {}).body;
  found_["its health"] = send("GET", "/health/ready", {}).body;
  for (const TextRow& session : reader_.queryText(
           "SELECT application_name || ' ' || query FROM pg_stat_activity WHERE query <> ''")) {
    found_["a session of the database"] += session.front().value_or("") + "\n";
  }
  found_["a table"] = everythingIn(reader_);
  found_["the service's log"] = service_.logText();
  found_["the database's log"] = postgres_.logText();
  EXPECT_NE(found_["the database's log"].find("BadCredentialsException"), std::string::npos)
      << "the server must log parameters";

  for (const Plant& plant : all) {
    const std::string_view label = domain::labelOf(plant.kind);
    for (const auto& [where, text] : found_) {
      const auto at = text.find(plant.secret);
      EXPECT_EQ(at, std::string::npos)
          << label << " is in " << where << ": " << text.substr(at < 300 ? 0 : at - 300, 400);
    }
    EXPECT_NE(found_["a table"].find(domain::markerOf(plant.kind)), std::string::npos) << label;
  }
}

}  // namespace
}  // namespace auth_errors::tests
