// Texts that break careless software, in every place where a client may put one: each is stored
// verbatim or refused with a reason, and none makes the service fail.
#include <format>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/writer.h>

#include "domain/scrub/sanitiser.h"
#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"

namespace auth_errors::tests {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using ::testing::AnyOf;

std::vector<std::string> naughtyStrings() {
  std::vector<std::string> texts = {
      // Words with a special meaning.
      "null", "NULL", "(null)", "nil", "undefined", "None", "true", "false", "NaN", "Infinity",
      "-Infinity", "\\N", "''", "\"\"", "{}", "[]", "CON", "LPT1", "hasOwnProperty", "__proto__",
      "constructor",
      // Numbers and lookalikes.
      "0", "-0", "1e400", "0x0", "1.00", "$1.00", "1/0", "0..0", ".", "+1", "1,000.00", "01000",
      "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "１２３",
      "٠١٢",
      // Punctuation and quotes of every kind.
      ",./;'[]\\-=", "<>?:\"{}|_+", "!@#$%^&*()`~", "'", "\"", "''''\"", "\\", "\\\\\"", "%", "%%",
      "_", "‘’“”«»",
      // Invisible characters: blanks, joiners, bidirectional marks, line separators.
      "\u00a0", "\u1680\u2000\u200a\u202f\u3000", "\u200b\u200c\u200d\u2060", "\ufeff", "\u00ad",
      "\u2028\u2029", "\u0085", "\u202e gnp.exe \u202c", "\u2066 left \u2069", "\u180e",
      "\u115f\u3164",
      // Beyond ASCII and beyond 16 bits.
      "Ω≈ç√∫˜µ≤≥÷", "田中さんにあげて下さい", "사회과학원 어학연구소", "الكل في المجمو عة", "עברית",
      "ЁЂЃЄЅІЇ", "Ⱥ", "ﬁ", "İıẞß", "e\u0301", "T̺͆h̷̻e͓̚ c̸h̶a̵o̴s̷", "😀", "👩‍👩‍👧‍👦",
      "🏳️‍🌈", "🇩🇪🇩", "𠜎𠜱𠝹", "\U0010ffff", "\ufffe\uffff", "\ufffd",
      // Control characters, including terminal sequences.
      "\x01\x02\x1f", "\x7f", "a\0b"s, "\0"s, "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\r\n\r\n",
      "\t", "\b\b\b", "\u009b31m",
      // Injections: browsers, shells, databases, templates, loggers, file systems, spreadsheets.
      "<script>alert(1)</script>", "&lt;&#0;&amp;", "<img src=x onerror=alert(1)>",
      "javascript:alert(1)", "]]><!--", "1; DROP TABLE auth_error", "1'; DROP TABLE auth_error--",
      "' OR 1=1 -- ", "%' AND '_", "E'\\x00'", "$$;$$", "{NULL,\"a\"}", "$(touch /tmp/x)", "`id`",
      "() { 0; }; id", "| id", "-rf", "--help", "${jndi:ldap://x/y}", "{{7*7}}", "%s%s%s%n",
      "%d%x{}{0}", "{:>999999999}", "../../../../etc/passwd", "C:\\..\\..\\x", "/dev/null",
      "file:///etc/passwd", "=1+1", "@SUM(A1)",
      "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
      "Set-Cookie: a\r\nX-Injected: b", "\u2100\u2101", "http://a/%09b%00c", "[redacted:jwt]",
      "[redacted:", "0000-00-00T00:00:00Z"};
  texts.push_back(std::string(5'000, 'A'));
  std::string marks = "a";
  std::string wide;
  for (int count = 0; count < 3'000; ++count) {
    marks += "\u0301";
    wide += "😀";
  }
  texts.push_back(marks);
  texts.push_back(wide);
  return texts;
}

std::string percentEncoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    encoded += std::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

class NaughtyStrings : public ApiTest {};

TEST_F(NaughtyStrings, AreStoredWithOnlyTheUsualSanitising) {
  const std::vector<std::string> texts = naughtyStrings();
  std::map<std::string, std::string> expected;
  std::string batch;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    const std::string id = std::format("naughty-{}", index);
    std::string body = ErrorBody{.requestId = id}.json();
    for (const std::string_view field :
         {"exceptionMessage", "rootCauseMessage", "userAgent", "requestUri"}) {
      body.insert(1, std::format("\"{}\":{},", field, jsonString(texts.at(index))));
    }
    batch.append(batch.empty() ? "[" : ",").append(body);
    expected[id] =
        domain::sanitise(texts.at(index), domain::kMaxMessageCodePoints, {}).text.value_or("");
  }
  const HttpResponse stored = post("/api/auth-errors/batch", batch + "]");
  ASSERT_EQ(stored.status, 200) << stored.body;
  for (const Json::Value& result : parseJson(stored.body)["results"]) {
    EXPECT_EQ(result["status"].asInt(), 201) << result << texts.at(result["index"].asUInt());
  }
  std::string cursor;
  do {
    const HttpResponse page = get("/api/auth-errors?limit=50" + cursor);
    ASSERT_EQ(page.status, 200) << page.body;
    const Json::Value body = parseJson(page.body);
    for (const Json::Value& item : body["items"]) {
      const HttpResponse one =
          get(std::format("/api/auth-errors/{}", item["authErrorId"].asInt64()));
      ASSERT_EQ(one.status, 200) << one.body;
      const Json::Value error = parseJson(one.body);
      const std::string& text = expected.at(error["requestId"].asString());
      for (const char* field : {"exceptionMessage", "rootCauseMessage"}) {
        EXPECT_EQ(error[field].isNull() ? "" : error[field].asString(), text)
            << error["requestId"] << field;
      }
      expected.erase(error["requestId"].asString());
    }
    cursor = body["nextCursor"].isNull() ? "" : "&cursor=" + body["nextCursor"].asString();
  } while (!cursor.empty());
  EXPECT_TRUE(expected.empty());
}

TEST_F(NaughtyStrings, AreStoredOrRefusedAsIdentifiersAndNames) {
  const std::vector<std::string> texts = naughtyStrings();
  for (const std::string_view field :
       {"requestId"sv, "userId"sv, "sessionId"sv, "clientIp"sv, "serviceName"sv, "environment"sv,
        "traceId"sv, "exceptionClass"sv, "stacktrace"sv, "httpMethod"sv, "occurredAt"sv,
        "httpStatus"sv}) {
    std::string batch;
    for (std::size_t index = 0; index < texts.size(); ++index) {
      Json::Value body =
          parseJson(ErrorBody{.requestId = std::format("{}-{}", field, index)}.json());
      body.removeMember(std::string(field));
      std::string text = body.toStyledString();
      text.insert(1, std::format("\"{}\":{},", field, jsonString(texts.at(index))));
      batch.append(batch.empty() ? "[" : ",").append(text);
    }
    const HttpResponse response = post("/api/auth-errors/batch", batch + "]");
    ASSERT_EQ(response.status, 200) << field << response.body;
    const Json::Value results = parseJson(response.body)["results"];
    EXPECT_EQ(results.size(), texts.size()) << field;
    for (const Json::Value& result : results) {
      EXPECT_THAT(result["status"].asInt(), AnyOf(200, 201, 400)) << field << result;
    }
  }
}

TEST_F(NaughtyStrings, AreHarmlessAsSearchTerms) {
  for (const std::string& text : naughtyStrings()) {
    const std::string encoded = percentEncoded(text.substr(0, 600));
    for (const std::string& path :
         {"/api/auth-errors?exceptionClass=" + encoded, "/api/auth-errors?" + encoded + "=1",
          "/api/auth-errors?cursor=" + encoded, "/api/auth-errors/" + encoded,
          "/api/auth-errors?from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&q=" + encoded,
          "/api/clusters?q=" + encoded, "/api/" + encoded, "/" + encoded}) {
      EXPECT_THAT(get(path).status, AnyOf(200, 400, 404)) << path;
    }
    for (const std::string_view field : {"userId"sv, "sessionId"sv, "clientIp"sv, "other"sv}) {
      const HttpResponse found =
          post("/api/auth-errors/search", std::format("{{\"{}\":{}}}", field, jsonString(text)),
               kViewerKey);
      EXPECT_THAT(found.status, AnyOf(200, 400)) << field << found.body;
    }
  }
}

TEST_F(NaughtyStrings, AreStoredOrRefusedAsNamesAndNotesOfOperators) {
  for (const std::string& text : naughtyStrings()) {
    const std::string quoted = jsonString(text);
    const HttpResponse key =
        post("/api/keys", std::format(R"({{"name":{},"role":"viewer"}})", quoted), kOperatorKey);
    EXPECT_THAT(key.status, AnyOf(201, 400, 409)) << key.body;
    for (const std::string& body :
         {std::format(R"({{"type":"RESOLVE","note":{}}})", quoted),
          std::format(R"({{"type":{}}})", quoted), std::format(R"({{{}:1}})", quoted)}) {
      const HttpResponse decision = post("/api/auth-errors/1/decisions", body, kOperatorKey);
      EXPECT_THAT(decision.status, AnyOf(400, 404)) << decision.body;
    }
    const HttpResponse rule = post(
        "/api/rules",
        std::format(R"({{"name":{0},"match":{{"exceptionClass":{0}}},"action":"IGNORE"}})", quoted),
        kOperatorKey);
    EXPECT_THAT(rule.status, AnyOf(201, 400, 409)) << rule.body;
  }
}

}  // namespace
}  // namespace auth_errors::tests
