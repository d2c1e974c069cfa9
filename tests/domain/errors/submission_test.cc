#include "domain/errors/submission.h"

#include <stdexcept>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

const Instant kNow = *parseInstant("2026-01-31T12:00:00Z");

const AcceptanceRules kRules{.pseudonymise = [](ActorKind kind, std::string_view identifier) {
  return std::to_string(static_cast<int>(kind)) + ":" + std::string(identifier);
}};

Submission validSubmission() {
  Submission submission;
  for (const TextRule& rule : kTextRules) {
    submission.text(rule.field) = "x";
  }
  submission.text(TextField::clientIp) = "192.0.2.7";
  submission.occurredAt = "2026-01-31T09:30:00Z";
  submission.httpStatus = 401;
  return submission;
}

// "field:code" of each problem.
std::vector<std::string> problemsOf(Submission submission,
                                    const std::vector<FieldProblem>& decoding = {}) {
  const auto accepted = accept(std::move(submission), kNow, decoding, kRules);
  std::vector<std::string> problems;
  if (!accepted) {
    for (const FieldProblem& problem : accepted.error()) {
      problems.push_back(std::string(problem.field) + ":" + std::string(problem.code));
    }
  }
  return problems;
}

TEST(Submission, IsAcceptedWithOnlyTheRequiredFields) {
  const auto accepted = accept(validSubmission(), kNow, {}, kRules);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->httpStatus, 401);
  EXPECT_EQ(accepted->required(TextField::requestId), "x");
  EXPECT_EQ(formatInstant(accepted->occurredAt), "2026-01-31T09:30:00.000000Z");
}

TEST(Submission, ReportsAllItsProblemsAtOnce) {
  EXPECT_THAT(problemsOf(Submission{}),
              ::testing::UnorderedElementsAre("requestId:required", "occurredAt:required",
                                              "httpStatus:required", "exceptionClass:required",
                                              "stacktrace:required"));
}

TEST(Submission, DoesNotReportAFieldOfTheWrongTypeAsMissing) {
  Submission submission = validSubmission();
  submission.httpStatus.reset();
  EXPECT_THAT(problemsOf(std::move(submission),
                         {{.field = kHttpStatusField, .code = "wrong_type", .message = ""}}),
              ::testing::ElementsAre("httpStatus:wrong_type"));
}

TEST(Submission, RequiresAnHttpStatusFrom100To599) {
  for (const std::int64_t status : {100, 401, 599}) {
    Submission submission = validSubmission();
    submission.httpStatus = status;
    EXPECT_THAT(problemsOf(std::move(submission)), ::testing::IsEmpty()) << status;
  }
  for (const std::int64_t status :
       {std::int64_t{99}, std::int64_t{600}, std::int64_t{-1}, INT64_MAX}) {
    Submission submission = validSubmission();
    submission.httpStatus = status;
    EXPECT_THAT(problemsOf(std::move(submission)),
                ::testing::ElementsAre("httpStatus:out_of_range"))
        << status;
  }
}

TEST(Submission, MayBeAtMostADayAhead) {
  Submission submission = validSubmission();
  submission.occurredAt = "2026-02-01T12:00:00Z";
  EXPECT_THAT(problemsOf(submission), ::testing::IsEmpty());
  submission.occurredAt = "2026-02-01T12:00:00.000001Z";
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("occurredAt:out_of_range"));
  submission.occurredAt = "yesterday";
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("occurredAt:invalid"));
}

TEST(Submission, RequiresARequestIdOf1To128PrintableAsciiCharacters) {
  Submission submission = validSubmission();
  submission.text(TextField::requestId) = std::string(128, '~');
  EXPECT_THAT(problemsOf(submission), ::testing::IsEmpty());
  submission.text(TextField::requestId) = std::string(129, 'a');
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("requestId:too_long"));
  for (const std::string bad : {"a\nb", "a\x7f", "ü", "a\tb"}) {
    submission.text(TextField::requestId) = bad;
    EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("requestId:invalid")) << bad;
  }
  submission.text(TextField::requestId) = "";
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("requestId:required"));
}

// A request id is stored verbatim and cannot be redacted. A number that merely resembles a card
// number is allowed.
TEST(Submission, RefusesARequestIdThatContainsASecret) {
  Submission submission = validSubmission();
  for (const std::string secret :
       {"req-ghp_0123456789abcdefghijABCDEFGHIJ012345", "alice@example.com-17",
        "password=hunter2secret", "4111-1111-1111-1111"}) {
    submission.text(TextField::requestId) = secret;
    EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("requestId:secret")) << secret;
  }
  for (const std::string fine : {"4111111111111111", "550e8400-e29b-41d4-a716-446655440000",
                                 "0af7651916cd43dd8448eb211c80319c", "order:17/retry=2"}) {
    submission.text(TextField::requestId) = fine;
    EXPECT_THAT(problemsOf(submission), ::testing::IsEmpty()) << fine;
  }
}

TEST(Submission, RefusesOverlongNamesAndTruncatesOverlongTexts) {
  for (const TextRule& rule : kTextRules) {
    if (rule.field == TextField::clientIp || rule.cleaning == Cleaning::asSent) {
      continue;
    }
    Submission submission = validSubmission();
    std::string text;
    for (std::size_t i = 0; i < rule.limit; ++i) {
      text += "ü";
    }
    submission.text(rule.field) = text;
    EXPECT_THAT(problemsOf(submission), ::testing::IsEmpty()) << rule.name;
    submission.text(rule.field) = text + "ü";
    if (rule.overlong == Overlong::refuse) {
      EXPECT_THAT(problemsOf(submission),
                  ::testing::ElementsAre(std::string(rule.name) + ":too_long"));
    } else {
      const auto accepted = accept(submission, kNow, {}, kRules);
      ASSERT_TRUE(accepted) << rule.name;
      EXPECT_EQ(accepted->text(rule.field), text) << rule.name;
    }
  }
}

TEST(Submission, TurnsEmptyOptionalTextsIntoNullAndRefusesEmptyRequiredOnes) {
  for (const TextRule& rule : kTextRules) {
    for (const std::string blank : {"", " \t\r\n", "\x01\x02"}) {
      if (rule.cleaning == Cleaning::asSent && !blank.empty()) {
        continue;
      }
      Submission submission = validSubmission();
      submission.text(rule.field) = blank;
      if (rule.required) {
        EXPECT_THAT(problemsOf(submission),
                    ::testing::ElementsAre(std::string(rule.name) + ":required"));
        continue;
      }
      const auto accepted = accept(submission, kNow, {}, kRules);
      ASSERT_TRUE(accepted) << rule.name;
      EXPECT_FALSE(accepted->text(rule.field)) << rule.name;
    }
  }
}

TEST(Submission, CountsRedactionsAcrossAllTexts) {
  Submission submission = validSubmission();
  submission.text(TextField::userId) = "alice42";
  submission.text(TextField::sessionId) = "f00-ba7-session";
  submission.text(TextField::exceptionMessage) = "alice42 failed, password=hunter2";
  submission.text(TextField::requestUri) = "/login?user=alice42&next=f00-ba7-session";
  const auto accepted = accept(submission, kNow, {}, kRules);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->redactions.of(RedactionKind::userId), 2U);
  EXPECT_EQ(accepted->redactions.of(RedactionKind::sessionId), 1U);
  EXPECT_EQ(accepted->redactions.of(RedactionKind::password), 1U);
  EXPECT_EQ(accepted->redactions.total(), 4U);
  EXPECT_EQ(accepted->text(TextField::exceptionMessage),
            "[redacted:user-id] failed, password=[redacted:password]");
}

TEST(Submission, KeepsPseudonymsAndDropsIdentifiersUnlessConfigured) {
  Submission submission = validSubmission();
  submission.text(TextField::userId) = " alice ";
  submission.text(TextField::clientIp) = "::ffff:192.0.2.7";
  const auto accepted = accept(submission, kNow, {}, kRules);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->pseudonym(ActorKind::user), "0:alice");
  EXPECT_EQ(accepted->pseudonym(ActorKind::clientIp), "2:192.0.2.7");
  for (const auto& [kind, field] : kActorFields) {
    EXPECT_FALSE(accepted->text(field));
  }

  const auto plain =
      accept(submission, kNow, {}, {.pseudonymise = kRules.pseudonymise, .keepIdentifiers = true});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->text(TextField::userId), "alice");
  EXPECT_EQ(plain->text(TextField::clientIp), "192.0.2.7");

  const auto without = accept(submission, kNow, {}, {});
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->pseudonym(ActorKind::user));
}

TEST(Submission, RequiresAValidClientIp) {
  Submission submission = validSubmission();
  for (const std::string bad : {"localhost", "1.2.3", "1.2.3.4:80", "1.2.3.4, 5.6.7.8"}) {
    submission.text(TextField::clientIp) = bad;
    EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("clientIp:invalid")) << bad;
  }
}

// If scrubbing fails, nothing of the error is passed on: the exception propagates.
TEST(Submission, RedactsItsAddressInEverySpelling) {
  Submission submission = validSubmission();
  submission.text(TextField::clientIp) = "2001:DB8:0::1";
  submission.text(TextField::exceptionMessage) = "refused [2001:db8::1]:443";
  submission.text(TextField::stacktrace) = "at a.B.c(B.java:1) 2001:0db8::0001";
  const auto shown = sanitiseTexts(submission);
  const auto accepted = accept(std::move(submission), kNow, {}, kRules);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->text(TextField::exceptionMessage), "refused [[redacted:client-ip]]:443");
  EXPECT_EQ(accepted->text(TextField::stacktrace), "at a.B.c(B.java:1) [redacted:client-ip]");
  EXPECT_EQ(accepted->redactions.of(RedactionKind::clientIp), 2U);
  EXPECT_THAT(shown,
              ::testing::Contains(::testing::Pair(
                  TextField::stacktrace,
                  ::testing::Field(&SanitisedText::text, accepted->text(TextField::stacktrace)))));
}

TEST(Submission, IsNotAcceptedIfAStepFails) {
  const AcceptanceRules failing{.pseudonymise = [](ActorKind, std::string_view) -> std::string {
    throw std::runtime_error("missing key");
  }};
  EXPECT_THROW(std::ignore = accept(validSubmission(), kNow, {}, failing), std::runtime_error);
}

TEST(Submission, PreviewsTheTextsThatArePresent) {
  Submission submission;
  submission.text(TextField::userId) = "alice42";
  submission.text(TextField::exceptionMessage) = "alice42: password=hunter2";
  const auto sanitised = sanitiseTexts(submission);
  ASSERT_EQ(sanitised.size(), 1U);
  EXPECT_EQ(sanitised.front().first, TextField::exceptionMessage);
  EXPECT_EQ(sanitised.front().second.text, "[redacted:user-id]: password=[redacted:password]");
}

}  // namespace
}  // namespace auth_errors::domain
