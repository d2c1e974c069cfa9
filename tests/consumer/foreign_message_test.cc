// The stored part of a foreign message: never a secret, and always valid for the tables.
#include "consumer/foreign_message.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <drogon/utils/Utilities.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/reader.h>
#include <json/value.h>

#include "domain/values/utf8.h"

namespace auth_errors::consumer {
namespace {

using domain::DeadLetterReason;
using messaging::Delivery;
using ::testing::HasSubstr;
using ::testing::Not;

Delivery deliveryOf(std::string body, messaging::Headers headers = {}) {
  Delivery delivery;
  delivery.from.routingKey = "dead";
  delivery.message.body = std::move(body);
  delivery.message.headers = std::move(headers);
  return delivery;
}

Json::Value headersOf(const Delivery& delivery) {
  Json::Value value;
  EXPECT_TRUE(Json::Reader().parse(*describeForeign(delivery).headers, value));
  return value;
}

TEST(ForeignMessage, KeepsScrubbedAndTruncatedText) {
  const auto foreign = describeForeign(deliveryOf(R"({"user":"x","password":"hunter2secret"})"));
  EXPECT_EQ(foreign.bodyEncoding, "text");
  EXPECT_THAT(*foreign.body, HasSubstr("[redacted:password]"));
  EXPECT_THAT(*foreign.body, Not(HasSubstr("hunter2secret")));
  EXPECT_EQ(domain::countCodePoints(*describeForeign(deliveryOf(std::string(20'000, 'x'))).body),
            8'000U);
}

TEST(ForeignMessage, KeepsNothingOfAnEmptyBody) {
  const auto foreign = describeForeign(deliveryOf(" \n"));
  EXPECT_EQ(foreign.body, std::nullopt);
  EXPECT_EQ(foreign.bodyEncoding, std::nullopt);
}

TEST(ForeignMessage, KeepsTheFirstBytesOfABinaryBody) {
  std::string body("\x00\x01\xff\xfe plain words", 16);
  const auto foreign = describeForeign(deliveryOf(body));
  EXPECT_EQ(foreign.bodyEncoding, "base64");
  EXPECT_EQ(drogon::utils::base64Decode(*foreign.body), body);
  body.resize(100'000, '\xff');
  EXPECT_TRUE(drogon::utils::base64Decode(*describeForeign(deliveryOf(body)).body) ==
              body.substr(0, kMaxBinaryBytes));
}

TEST(ForeignMessage, KeepsNothingOfABinaryBodyThatMayContainASecret) {
  std::string utf16;
  for (const char c : std::string("password=hunter2secret")) {
    utf16.append({c, '\0'});
  }
  const std::vector<std::string> bodies = {
      std::string("\xff\xfe password=hunter2secret"),
      std::string("\x00\x16password=hunter2secret\x00", 25),
      utf16,
      std::string("\x05") + "alice" + '\x14' + "AKIAIOSFODNN7EXAMPLE" + '\0',
      std::string(kMaxBinaryBytes - 30, '\xff') + " Authorization: Bearer abcdefghijklmnop1234",
      std::string("\x1f\x8b\x08\x00packed", 10)};
  for (const std::string& body : bodies) {
    const auto foreign = describeForeign(deliveryOf(body));
    EXPECT_EQ(foreign.body, "[redacted:text]") << body.substr(0, 40);
    EXPECT_EQ(foreign.bodyEncoding, "text");
  }
}

TEST(ForeignMessage, ScrubsEveryHeaderByNameAndValue) {
  const Json::Value headers =
      headersOf(deliveryOf("x", {{"password", std::string("hunter2secret")},
                                 {"Authorization", std::string("Bearer abcdefghijklmnop1234")},
                                 {"card", std::int64_t{4111111111111111}},
                                 {"note", std::string("api_key=abcdef0123456789abcdef")},
                                 {"plain", std::string("hello")},
                                 {"count", std::int64_t{7}},
                                 {"share", 0.5},
                                 {"flag", true},
                                 {"none", std::monostate{}},
                                 {"nan", std::nan("")},
                                 {"bytes", std::string("\xff\x00 x", 4)},
                                 {"long", std::string(5'000, 'y')}}));
  const std::string text = headers.toStyledString();
  for (const char* secret :
       {"hunter2secret", "abcdefghijklmnop1234", "4111111111111111", "abcdef0123456789abcdef"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
  EXPECT_EQ(headers["password"].asString(), "[redacted:password]");
  EXPECT_EQ(headers["plain"].asString(), "hello");
  EXPECT_EQ(headers["count"].asInt64(), 7);
  EXPECT_EQ(headers["share"].asDouble(), 0.5);
  EXPECT_EQ(headers["flag"].asBool(), true);
  EXPECT_TRUE(headers["none"].isNull());
  EXPECT_EQ(headers["nan"].asString(), "nan");
  EXPECT_LE(headers["long"].asString().size(), 1'000U);
}

TEST(ForeignMessage, KeepsABoundedNumberOfHeaders) {
  messaging::Headers headers;
  for (int i = 0; i < 500; ++i) {
    headers.emplace_back("h" + std::to_string(i), std::int64_t{i});
  }
  EXPECT_EQ(headersOf(deliveryOf("x", headers)).size(), kMaxHeaders);
}

TEST(ForeignMessage, HasADigestOfEverythingExceptBrokerHeaders) {
  const Delivery one = deliveryOf("x", {{"a", std::string("1")}, {"b", std::string("2")}});
  const auto digest = describeForeign(one).digest;
  const Delivery reordered = deliveryOf("x", {{"b", std::string("2")}, {"a", std::string("1")}});
  EXPECT_EQ(describeForeign(reordered).digest, digest);
  Delivery marked = one;
  marked.message.headers.emplace_back("x-death", std::string("[]"));
  marked.message.headers.emplace_back("x-first-death-reason", std::string("rejected"));
  marked.message.headers.emplace_back("x-delivery-count", std::int64_t{3});
  EXPECT_EQ(describeForeign(marked).digest, digest);
  EXPECT_EQ(describeBriefly(marked).digest, digest);
  std::vector<Delivery> others(7, one);
  others[0].message.body = "y";
  others[1].message.messageId = "id";
  others[2].message.type = "type";
  others[3].message.contentType = "text/plain";
  others[4].message.timestamp = 1;
  others[5].from.routingKey = "elsewhere";
  others[6].message.headers[0].second = std::int64_t{1};
  for (const Delivery& other : others) {
    EXPECT_NE(describeForeign(other).digest, digest);
  }
}

TEST(ForeignMessage, ReportsItsReasonIfKnown) {
  const auto reason = [](const std::string& name, const std::string& value) {
    return reasonOf(deliveryOf("x", {{name, value}}).message);
  };
  EXPECT_EQ(reason("deadLetterReason", "malformed_payload"), DeadLetterReason::malformedPayload);
  EXPECT_EQ(reason("deadLetterReason", "because"), DeadLetterReason::foreign);
  EXPECT_EQ(reason("x-first-death-reason", "delivery_limit"), DeadLetterReason::deliveryLimit);
  EXPECT_EQ(reason("x-last-death-reason", "delivery_limit"), DeadLetterReason::deliveryLimit);
  EXPECT_EQ(reason("x-first-death-reason", "expired"), DeadLetterReason::foreign);
  const auto foreign = describeForeign(
      deliveryOf("x", {{"deadLetterError", std::string("token=abcdef0123456789abcdef")},
                       {"eventType", std::string("some.event.v1")}}));
  EXPECT_THAT(*foreign.error, Not(HasSubstr("abcdef0123456789")));
  EXPECT_EQ(foreign.eventType, "some.event.v1");
}

messaging::Message eventMessage(messaging::Headers more = {}, std::string body = {}) {
  messaging::Message message{
      .messageId = "auth_error:recorded:7",
      .type = "auth.error.recorded.v1",
      .contentType = "application/json",
      .timestamp = 1,
      .headers = {{"outboxId", std::int64_t{7}},
                  {"eventType", std::string("auth.error.recorded.v1")},
                  {"aggregateType", std::string("auth_error")},
                  {"installationId", std::string("0b1c2d3e-0000-4000-8000-abcdefabcdef")}},
      .body = body.empty() ? R"({"authErrorId":7,"requestId":"4111111111111111"})" : body};
  message.headers.append_range(std::move(more));
  return message;
}

TEST(ForeignMessage, IsParkedUnchangedIfItIsAnEvent) {
  const messaging::Message event = eventMessage({{"x-delivery-count", std::int64_t{2}}});
  const messaging::Message parked = fitToPark(event);
  EXPECT_EQ(parked.messageId, event.messageId);
  EXPECT_EQ(parked.headers, event.headers);
  EXPECT_EQ(parked.body, event.body);
}

TEST(ForeignMessage, IsParkedWithoutSecretsIfItIsNotAnEvent) {
  for (const messaging::Message& message :
       {eventMessage({}, "password=hunter22"),
        eventMessage({}, R"({"authErrorId":7,"requestId":"password=hunter22"})"),
        eventMessage({}, R"({"authErrorId":7,"password":"hunter22"})"),
        eventMessage({{"password", std::string("hunter22")}}),
        eventMessage({{"traceparent", std::string("password=hunter22")}}),
        eventMessage({{"password=hunter22", std::int64_t{1}}}),
        messaging::Message{.messageId = "password=hunter22",
                           .type = "password=hunter22",
                           .contentType = "password=hunter22",
                           .timestamp = 0,
                           .headers = {},
                           .body = std::string("password=hunter22\0", 18)}}) {
    const messaging::Message parked = fitToPark(message);
    std::string all = parked.messageId + parked.type + parked.contentType + parked.body;
    for (const auto& [name, value] : parked.headers) {
      const auto* const text = std::get_if<std::string>(&value);
      all += name + (text == nullptr ? "" : *text);
    }
    EXPECT_THAT(all, Not(HasSubstr("hunter22"))) << message.body;
    EXPECT_THAT(all, HasSubstr("[redacted:")) << message.body;
    if (message.headers.size() > 3) {
      EXPECT_EQ(parked.text("installationId"), message.text("installationId"));
    }
  }
}

}  // namespace
}  // namespace auth_errors::consumer
