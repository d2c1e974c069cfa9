// The delivery rules that need no server: retry schedule, state transitions, event descriptors and
// the event codec.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/errors/auth_error_transitions.h"
#include "domain/errors/dead_letter.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/retry/retry_policy.h"
#include "platform/messaging/event_codec.h"
#include "platform/messaging/message.h"

namespace auth_errors {
namespace {

using namespace std::chrono_literals;
using domain::AuthErrorStatus;
using domain::DeadLetterReason;
using domain::RetryPolicy;
using domain::StatusEvent;
using messaging::HeaderValue;
using messaging::Message;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(RetryPolicyRule, WaitsTenSecondsThenAMinuteThenTenMinutesThrice) {
  const RetryPolicy policy;
  const std::vector<std::chrono::milliseconds> ladder = {10s, 1min, 10min, 10min, 10min};
  const std::vector<std::size_t> rungs = {0, 1, 2, 2, 2};
  for (std::int32_t failures = 0; failures < 5; ++failures) {
    const auto retry = policy.afterFailure(failures);
    ASSERT_TRUE(retry) << failures;
    EXPECT_EQ(retry->retryCount, failures + 1);
    EXPECT_EQ(retry->delay, ladder.at(static_cast<std::size_t>(failures)));
    EXPECT_EQ(retry->rung, rungs.at(static_cast<std::size_t>(failures)));
  }
}

TEST(RetryPolicyRule, GivesUpAtTheSixthFailure) {
  const RetryPolicy policy;
  EXPECT_TRUE(policy.afterFailure(4));
  EXPECT_FALSE(policy.afterFailure(5));
  EXPECT_FALSE(policy.afterFailure(6));
  EXPECT_FALSE(policy.afterFailure(std::numeric_limits<std::int32_t>::max()));
}

TEST(RetryPolicyRule, CoversARemainingWaitWithTheSmallestRung) {
  const RetryPolicy policy;
  EXPECT_EQ(policy.rungCovering(-5s), 0U);
  EXPECT_EQ(policy.rungCovering(0ms), 0U);
  EXPECT_EQ(policy.rungCovering(10s), 0U);
  EXPECT_EQ(policy.rungCovering(10s + 1ms), 1U);
  EXPECT_EQ(policy.rungCovering(1min), 1U);
  EXPECT_EQ(policy.rungCovering(1min + 1ms), 2U);
  EXPECT_EQ(policy.rungCovering(10min), 2U);
  EXPECT_EQ(policy.rungCovering(2h), 2U) << "the longest rung, repeatedly";
}

// Invariant 6: an event's due time in the database is never later than the rung's TTL.
TEST(RetryPolicyRule, OnlyShortensADelayByJitter) {
  for (const std::chrono::milliseconds delay : RetryPolicy{}.rungs) {
    EXPECT_EQ(RetryPolicy::jittered(delay, 0.0), delay);
    EXPECT_EQ(RetryPolicy::jittered(delay, 1.0), delay * 9 / 10);
    for (const double share : {0.001, 0.3, 0.999, -1.0, 2.0}) {
      EXPECT_LE(RetryPolicy::jittered(delay, share), delay) << share;
      EXPECT_GE(RetryPolicy::jittered(delay, share), delay * 9 / 10) << share;
    }
  }
}

TEST(RetryPolicyRule, FollowsTheConfiguredRungs) {
  const RetryPolicy quick{.rungs = {10ms, 20ms, 30ms}};
  EXPECT_EQ(quick.afterFailure(1)->delay, 20ms);
  EXPECT_EQ(quick.afterFailure(4)->delay, 30ms);
  EXPECT_EQ(quick.rungCovering(11ms), 1U);
}

// The policy's table, row by row; all other combinations are refused.
std::map<std::pair<AuthErrorStatus, StatusEvent>, AuthErrorStatus> policyTable() {
  using enum AuthErrorStatus;
  std::map<std::pair<AuthErrorStatus, StatusEvent>, AuthErrorStatus> table;
  const auto row = [&table](std::initializer_list<AuthErrorStatus> from, StatusEvent on,
                            AuthErrorStatus to) {
    for (const AuthErrorStatus state : from) {
      table[{state, on}] = to;
    }
  };
  row({fresh, retry}, StatusEvent::analysisRequested, analysisRequested);
  row({fresh, retry, analysisRequested}, StatusEvent::handlerFailed, retry);
  row({analysisRequested, retry}, StatusEvent::analysisCompleted, analysisCompleted);
  row({analysisCompleted}, StatusEvent::decidedProcess, processed);
  row({analysisCompleted}, StatusEvent::decidedFail, failed);
  row({analysisCompleted}, StatusEvent::decidedResolve, resolved);
  row({analysisCompleted}, StatusEvent::decidedIgnore, ignored);
  row({analysisCompleted}, StatusEvent::decidedRetry, retry);
  row({fresh, retry, analysisRequested}, StatusEvent::deadLetterFailed, failed);
  row({fresh, retry, analysisRequested}, StatusEvent::deadLetterResolved, resolved);
  row({fresh, retry, analysisRequested}, StatusEvent::deadLetterIgnored, ignored);
  return table;
}

TEST(AuthErrorTransitions, MatchThePolicyForEveryStateAndEvent) {
  const auto table = policyTable();
  std::size_t allowed = 0;
  for (const auto& [from, fromName] : domain::kAuthErrorStatusNames) {
    for (const auto& [on, onName] : domain::kStatusEventNames) {
      const auto expected = table.find({from, on});
      const auto next = domain::transition(from, on);
      EXPECT_EQ(next.has_value(), expected != table.end()) << fromName << " on " << onName;
      if (next && expected != table.end()) {
        EXPECT_EQ(*next, expected->second) << fromName << " on " << onName;
        ++allowed;
      }
    }
  }
  EXPECT_EQ(allowed, table.size());
  EXPECT_THAT(domain::kStatusTransitions, SizeIs(table.size()));
}

// Invariant 5.
TEST(AuthErrorTransitions, NeverLeaveATerminalState) {
  using enum AuthErrorStatus;
  std::set<AuthErrorStatus> terminal;
  for (const auto& [status, name] : domain::kAuthErrorStatusNames) {
    if (domain::isTerminal(status)) {
      terminal.insert(status);
      for (const auto& [on, onName] : domain::kStatusEventNames) {
        EXPECT_FALSE(domain::transition(status, on)) << name << " on " << onName;
      }
    }
  }
  EXPECT_THAT(terminal, ElementsAre(processed, failed, resolved, ignored));
}

TEST(AuthErrorTransitions, ListTheSourceStatesOfAnEvent) {
  using enum domain::AuthErrorStatus;
  EXPECT_THAT(domain::sourcesOf(StatusEvent::analysisRequested), ElementsAre(fresh, retry));
  EXPECT_THAT(domain::sourcesOf(StatusEvent::decidedProcess), ElementsAre(analysisCompleted));
  // RETRY stays RETRY: there is nothing to write or to log.
  EXPECT_THAT(domain::sourcesOf(StatusEvent::handlerFailed), ElementsAre(fresh, analysisRequested));
  EXPECT_THAT(domain::sourcesOf(StatusEvent::deadLetterFailed),
              ElementsAre(fresh, retry, analysisRequested));
}

TEST(AuthErrorTransitions, AreNamedInTheOrderOfTheirValues) {
  for (std::size_t index = 0; index < domain::kStatusEventCount; ++index) {
    EXPECT_EQ(static_cast<std::size_t>(domain::kStatusEventNames.at(index).first), index);
  }
  for (std::size_t index = 0; index < domain::kAuthErrorStatusNames.size(); ++index) {
    const auto& [status, name] = domain::kAuthErrorStatusNames.at(index);
    EXPECT_EQ(static_cast<std::size_t>(status), index);
    EXPECT_EQ(domain::fromText<AuthErrorStatus>(name), status);
  }
  EXPECT_FALSE(domain::fromText<AuthErrorStatus>("new"));
}

TEST(DeadLetterNames, AreNamedInTheOrderOfTheirValues) {
  const auto check = [](const auto& names) {
    for (std::size_t index = 0; index < names.size(); ++index) {
      EXPECT_EQ(static_cast<std::size_t>(names.at(index).first), index);
      EXPECT_EQ(domain::toText(names.at(index).first), names.at(index).second);
    }
  };
  check(domain::kDeadLetterStatusNames);
  check(domain::kDeadLetterSourceNames);
  check(domain::kDeadLetterReasonNames);
}

TEST(EventDescriptors, DeriveTheirKeysFromErrorIdAndRound) {
  EXPECT_EQ(domain::kRecorded.idempotencyKey(domain::ErrorId(7)), "auth_error:recorded:7");
  EXPECT_EQ(domain::kAnalysisRequested.idempotencyKey(domain::ErrorId(7)),
            "auth_error:analysis_requested:7");
  EXPECT_EQ(domain::kAnalysisRequested.idempotencyKey(domain::ErrorId(7), 1),
            "auth_error:analysis_requested:7");
  EXPECT_EQ(domain::kAnalysisRequested.idempotencyKey(domain::ErrorId(7), 2),
            "auth_error:analysis_requested:7:2");
  EXPECT_EQ(
      domain::kAnalysisRequested.idempotencyKey(domain::ErrorId(9'223'372'036'854'775'807), 12),
      "auth_error:analysis_requested:9223372036854775807:12");
}

TEST(EventDescriptors, AreFoundOnlyByTheFullType) {
  EXPECT_EQ(domain::descriptorOf("auth.error.recorded.v1")->keyPrefix, "auth_error:recorded:");
  EXPECT_EQ(domain::descriptorOf("auth.error.analysis.requested.v1")->keyPrefix,
            "auth_error:analysis_requested:");
  for (const std::string_view unknown :
       {"", "auth.error.recorded", "auth.error.recorded.v2", "AUTH.ERROR.RECORDED.V1"}) {
    EXPECT_EQ(domain::descriptorOf(unknown), nullptr) << unknown;
  }
  for (const domain::EventDescriptor& descriptor : domain::kEventDescriptors) {
    EXPECT_EQ(domain::descriptorOf(descriptor.eventType), &descriptor);
    EXPECT_EQ(descriptor.aggregateType, "auth_error");
  }
}

messaging::OutgoingEvent recordedEvent() {
  return {.outboxId = domain::OutboxId(41),
          .eventId = domain::EventId("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"),
          .aggregateType = "auth_error",
          .eventType = "auth.error.recorded.v1",
          .idempotencyKey = "auth_error:recorded:7",
          .payload = R"({"authErrorId": 7, "requestId": "r"})",
          .createdAt = 1'769'851'800,
          .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
}

TEST(EventCodec, WritesEveryHeaderAndPropertyOfAnEvent) {
  const Message message = messaging::encodeEvent(recordedEvent());
  EXPECT_EQ(message.messageId, "auth_error:recorded:7");
  EXPECT_EQ(message.type, "auth.error.recorded.v1");
  EXPECT_EQ(message.contentType, "application/json");
  EXPECT_EQ(message.timestamp, 1'769'851'800);
  EXPECT_EQ(message.body, R"({"authErrorId": 7, "requestId": "r"})");
  EXPECT_THAT(
      message.headers,
      ElementsAre(
          Pair("outboxId", HeaderValue(std::int64_t{41})),
          Pair("eventType", HeaderValue(std::string("auth.error.recorded.v1"))),
          Pair("aggregateType", HeaderValue(std::string("auth_error"))),
          Pair("eventId", HeaderValue(std::string("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"))),
          Pair("traceparent", HeaderValue(std::string(
                                  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")))));
}

TEST(EventCodec, OmitsAMissingIdAndTraceparent) {
  messaging::OutgoingEvent event = recordedEvent();
  event.eventId.reset();
  event.traceparent.reset();
  EXPECT_THAT(messaging::encodeEvent(std::move(event)).headers, SizeIs(3));
}

TEST(EventCodec, WritesTheRoundOfARetriedEvent) {
  messaging::OutgoingEvent event = recordedEvent();
  event.retryRound = 2;
  EXPECT_EQ(messaging::encodeEvent(std::move(event)).integer("retryRound"), 2);
  EXPECT_EQ(messaging::encodeEvent(recordedEvent()).integer("retryRound"), std::nullopt);
}

TEST(EventCodec, RoundTripsAnEvent) {
  const auto event = messaging::decodeEvent(messaging::encodeEvent(recordedEvent()));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->outboxId, domain::OutboxId(41));
  EXPECT_EQ(event->eventId, domain::EventId("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"));
  EXPECT_EQ(event->messageId, "auth_error:recorded:7");
  EXPECT_EQ(event->authErrorId, domain::ErrorId(7));
  EXPECT_EQ(event->descriptor, domain::descriptorOf("auth.error.recorded.v1"));
}

// A client in another language may send it as text.
TEST(EventCodec, ReadsAnOutboxIdInDecimalText) {
  Message message = messaging::encodeEvent(recordedEvent());
  message.headers.front().second = std::string("41");
  const auto event = messaging::decodeEvent(message);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->outboxId, domain::OutboxId(41));
}

std::optional<DeadLetterReason> faultOf(const Message& message) {
  const auto event = messaging::decodeEvent(message);
  if (event) {
    return std::nullopt;
  }
  EXPECT_THAT(event.error().error, ::testing::Not(IsEmpty()));
  return event.error().reason;
}

TEST(EventCodec, RefusesAMessageWithoutARequiredHeader) {
  for (const std::string_view required : {"outboxId", "eventType", "aggregateType"}) {
    Message message = messaging::encodeEvent(recordedEvent());
    std::erase_if(message.headers, [&](const auto& header) { return header.first == required; });
    ASSERT_THAT(message.headers, SizeIs(4));
    EXPECT_EQ(faultOf(message), DeadLetterReason::missingHeader) << required;
  }
}

TEST(EventCodec, RequiresAPositiveIntegerAsOutboxId) {
  for (const HeaderValue& bad : std::vector<HeaderValue>{
           std::monostate{}, true, 41.0, std::int64_t{0}, std::int64_t{-1}, std::string(),
           std::string("41x"), std::string(" 41"), std::string("4.1"), std::string("-3"),
           std::string("9223372036854775808")}) {
    Message message = messaging::encodeEvent(recordedEvent());
    message.headers.front().second = bad;
    EXPECT_EQ(faultOf(message), DeadLetterReason::missingHeader) << bad.index();
  }
}

TEST(EventCodec, ReadsAnEventIdInEitherCaseAndRefusesAnythingElse) {
  const auto read = [](const HeaderValue& value) {
    Message message = messaging::encodeEvent(recordedEvent());
    message.headers.at(3).second = value;
    return messaging::decodeEvent(message);
  };
  EXPECT_EQ(read(std::string("0F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0"))->eventId,
            domain::EventId("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"));
  for (const HeaderValue& bad :
       std::vector<HeaderValue>{std::monostate{}, true, std::int64_t{7}, std::string(),
                                std::string("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f"),
                                std::string("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f00"),
                                std::string("0f1e2d3c4b5a49788796a5b4c3d2e1f0"),
                                std::string("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1g0"),
                                std::string("{0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0}")}) {
    const auto event = read(bad);
    ASSERT_FALSE(event) << bad.index();
    EXPECT_EQ(event.error().reason, DeadLetterReason::foreignEvent);
  }
  Message message = messaging::encodeEvent(recordedEvent());
  message.messageId = std::string("auth\0error", 10);
  EXPECT_EQ(messaging::decodeEvent(message)->messageId, "") << "not a key of this service";
}

TEST(EventCodec, DescribesAnInvalidPayloadInASentence) {
  messaging::OutgoingEvent event = recordedEvent();
  event.payload = "{";
  EXPECT_EQ(messaging::decodeEvent(messaging::encodeEvent(event)).error().error,
            "the payload has a syntax error at byte 1");
  event.payload = "";
  EXPECT_EQ(messaging::decodeEvent(messaging::encodeEvent(event)).error().error,
            "the payload is empty");
}

TEST(EventCodec, RefusesAnUnknownEventType) {
  messaging::OutgoingEvent event = recordedEvent();
  event.eventType = "auth.error.recorded.v2";
  EXPECT_EQ(faultOf(messaging::encodeEvent(std::move(event))), DeadLetterReason::unknownEventType);
}

TEST(EventCodec, RefusesAnAggregateTypeThatContradictsTheEventType) {
  messaging::OutgoingEvent event = recordedEvent();
  event.aggregateType = "cluster";
  EXPECT_EQ(faultOf(messaging::encodeEvent(std::move(event))),
            DeadLetterReason::unknownAggregateType);
}

TEST(EventCodec, RequiresAJsonObjectAsPayload) {
  for (const std::string_view bad :
       {"", "{", "not json", "[7]", "7", "null", R"({"authErrorId":7} x)", R"({"authErrorId":7,})",
        R"({"authErrorId":7,"authErrorId":7})", R"({"authErrorId":7,"a":{"b":1,"b":2}})",
        "{\"authErrorId\":7,\"a\":\"\xff\"}"}) {
    messaging::OutgoingEvent event = recordedEvent();
    event.payload = bad;
    EXPECT_EQ(faultOf(messaging::encodeEvent(std::move(event))), DeadLetterReason::malformedPayload)
        << bad;
  }
}

TEST(EventCodec, RequiresAPositiveIntegerAsAuthErrorId) {
  for (const std::string_view bad :
       {"{}", R"({"autherrorid":7})", R"({"authErrorId":null})", R"({"authErrorId":"7"})",
        R"({"authErrorId":0})", R"({"authErrorId":-7})", R"({"authErrorId":7.5})",
        R"({"authErrorId":[7]})", R"({"authErrorId":true})",
        R"({"authErrorId":9223372036854775808})", R"({"authErrorId":1e30})"}) {
    messaging::OutgoingEvent event = recordedEvent();
    event.payload = bad;
    EXPECT_EQ(faultOf(messaging::encodeEvent(std::move(event))),
              DeadLetterReason::missingAuthErrorId)
        << bad;
  }
}

TEST(EventCodec, PutsOneReasonOnADeadLetterHoweverOftenItIsSet) {
  Message message = messaging::withReason(messaging::encodeEvent(recordedEvent()),
                                          DeadLetterReason::rejected, "first");
  EXPECT_EQ(message.text("deadLetterReason"), "rejected");
  EXPECT_EQ(message.text("deadLetterError"), "first");
  message = messaging::withReason(std::move(message), DeadLetterReason::retriesExhausted, "second");
  EXPECT_EQ(message.text("deadLetterReason"), "retries_exhausted");
  EXPECT_EQ(message.text("deadLetterError"), "second");
  EXPECT_THAT(message.headers, SizeIs(7));
  EXPECT_TRUE(messaging::decodeEvent(message)) << "it must still be the same event";
}

}  // namespace
}  // namespace auth_errors
