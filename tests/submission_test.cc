#include "domain/submission.h"

#include <string>

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

// "field:code" of every problem.
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

TEST(Submission, IsAcceptedWithTheRequiredFields) {
  const auto accepted = accept(validSubmission(), kNow, {}, kRules);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->httpStatus, 401);
  EXPECT_EQ(accepted->required(TextField::requestId), "x");
  EXPECT_EQ(formatInstant(accepted->occurredAt), "2026-01-31T09:30:00.000000Z");
}

TEST(Submission, IsToldAllItsProblemsAtOnce) {
  EXPECT_THAT(problemsOf(Submission{}),
              ::testing::UnorderedElementsAre("requestId:required", "occurredAt:required",
                                              "httpStatus:required", "exceptionClass:required",
                                              "stacktrace:required"));
}

TEST(Submission, IsNotToldThatAFieldOfAWrongTypeIsMissing) {
  Submission submission = validSubmission();
  submission.httpStatus.reset();
  EXPECT_THAT(problemsOf(std::move(submission),
                         {{.field = kHttpStatusField, .code = "wrong_type", .message = ""}}),
              ::testing::ElementsAre("httpStatus:wrong_type"));
}

TEST(Submission, NeedsAnHttpStatusFrom100To599) {
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

TEST(Submission, MayLieAtMostADayAhead) {
  Submission submission = validSubmission();
  submission.occurredAt = "2026-02-01T12:00:00Z";
  EXPECT_THAT(problemsOf(submission), ::testing::IsEmpty());
  submission.occurredAt = "2026-02-01T12:00:00.000001Z";
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("occurredAt:out_of_range"));
  submission.occurredAt = "yesterday";
  EXPECT_THAT(problemsOf(submission), ::testing::ElementsAre("occurredAt:invalid"));
}

TEST(Submission, NeedsARequestIdOf1To128PrintableAsciiCharacters) {
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

}  // namespace
}  // namespace auth_errors::domain
