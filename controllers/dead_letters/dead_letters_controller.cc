#include "controllers/dead_letters/dead_letters_controller.h"

#include <algorithm>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/dead_letters/dead_letter_query.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "domain/errors/dead_letter.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using triage::DeadLetter;
using triage::DeadLetterRefusal;

constexpr std::string_view kDecisionField = "decision";

constexpr OutageAdvice kDeadLetterAdvice{
    .outcomeUnknown = "Read the dead letter to see whether it is closed.",
    .tooSlow = "Narrow the query: use status OPEN or the id of an error."};

Refusal invalidDecision(std::string code, std::string message) {
  return {.reason = RejectReason::invalidFields,
          .details = {.errors = {{.field = std::string(kDecisionField),
                                  .code = std::move(code),
                                  .message = std::move(message)}}}};
}

Refusal notRetryable(std::string detail) {
  return {.reason = RejectReason::deadLetterNotRetryable, .details = {.detail = std::move(detail)}};
}

Refusal deadLetterRefusal(const DeadLetterRefusal& refused) {
  switch (refused.reason) {
    case DeadLetterRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case DeadLetterRefusal::Reason::closed:
      return {.reason = RejectReason::deadLetterClosed,
              .details = {.currentStatus = refused.currentStatus}};
    case DeadLetterRefusal::Reason::eventGone:
      return notRetryable("The outbox no longer has the event; resolve the dead letter.");
    case DeadLetterRefusal::Reason::eventUnderWay:
      return notRetryable("The event is already being delivered; wait for its outcome.");
    case DeadLetterRefusal::Reason::eventApplied:
      return notRetryable("The event has since been processed; resolve the dead letter.");
    case DeadLetterRefusal::Reason::decisionRequired:
      return invalidDecision(
          "required",
          std::format("is required, because the error is {} and would otherwise wait forever",
                      refused.currentStatus));
    case DeadLetterRefusal::Reason::nothingToDecide:
      return invalidDecision("not_allowed",
                             "is not allowed, because no error belongs to the dead letter");
    case DeadLetterRefusal::Reason::alreadyAnalysed:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The error is analysed or in a final status; resolve the dead "
                                    "letter without a decision.",
                          .currentStatus = refused.currentStatus}};
  }
  std::unreachable();
}

encoding::JsonText storedJson(const std::string& json) { return {json}; }

void append(encoding::JsonObjectWriter& object, const DeadLetter& letter) {
  object.write("id", letter.id);
  object.write("status", letter.status.text());
  object.write("source", letter.source.text());
  object.write("reason", letter.reason);
  object.write("error", letter.error);
  object.write("outboxId", letter.outboxId);
  object.write("retryRound", letter.retryRound);
  object.write("eventType", letter.eventType);
  object.write("aggregateType", letter.aggregateType);
  object.write("authErrorId", letter.authErrorId);
  object.write("attemptCount", letter.attemptCount);
  object.write("createdAt", letter.createdAt);
  object.write("closedAt", letter.closedAt);
  object.write("closedBy", letter.closedBy);
  object.write(kNoteField, letter.note);
  object.write(kDecisionField, letter.decision);
}

std::string toJson(const triage::WholeDeadLetter& whole) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  append(object, whole.letter);
  object.write("payload", whole.content.payload.transform(storedJson));
  object.write("body", whole.content.body);
  object.write("bodyEncoding", whole.content.bodyEncoding);
  object.write("headers", whole.content.headers.transform(storedJson));
  object.write("traceparent", whole.content.traceparent);
  object.write("attempts", storedJson(whole.content.attempts));
  object.close();
  return body;
}

void appendItem(std::string& out, const DeadLetter& letter) {
  encoding::JsonObjectWriter object(out);
  append(object, letter);
  object.close();
}

std::expected<triage::Resolution, Refusal> decodeResolution(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  const auto decision = reader.text(kDecisionField);
  triage::Resolution resolution;
  resolution.note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints);
  auto problems = reader.takeProblems();
  if (decision) {
    const auto* const row = std::ranges::find(domain::kDeadLetterDecisions, *decision,
                                              &domain::DeadLetterDecisionRow::name);
    if (row == domain::kDeadLetterDecisions.end()) {
      problems.push_back({.field = kDecisionField,
                          .code = "invalid",
                          .message = "must be FAIL, RESOLVE or IGNORE"});
    } else {
      resolution.decision = row->decision;
    }
  }
  // A misspelt decision must not be treated as a missing one.
  problems.append_range(reader.unknownFieldProblems({kDecisionField, kNoteField}));
  if (!problems.empty()) {
    return std::unexpected(invalidFields(problems));
  }
  return resolution;
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> DeadLettersController::list(Call call) {
  auto query = deadLetterQueryFromAddress(call.query());
  if (!query) {
    co_return call.reject(RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  const std::size_t limit = query->page.limit;
  auto letters = co_await stores_.local().page(
      {.filter = std::move(query->filter),
       .before = std::optional<domain::DeadLetterId>(query->page.before),
       .rows = rowsToRead(limit)},
      call.deadline());
  if (!letters) {
    co_return call.reject(refusalFor(letters.error(), kDeadLetterAdvice));
  }
  co_return pageResponse(*std::move(letters), limit, appendItem, [](const DeadLetter& last) {
    return encodeCursor(PagedList::deadLetters, last.id);
  });
}

drogon::Task<drogon::HttpResponsePtr> DeadLettersController::show(Call call) {
  const auto found =
      co_await stores_.local().find(call.id<domain::DeadLetterId>(), call.deadline());
  if (!found) {
    co_return call.reject(refusalFor(found.error(), kDeadLetterAdvice, deadLetterRefusal));
  }
  co_return jsonResponse(toJson(*found));
}

drogon::Task<drogon::HttpResponsePtr> DeadLettersController::retry(Call call) {
  const auto retried = co_await stores_.local().retry(call.id<domain::DeadLetterId>(), call.actor(),
                                                      call.deadline());
  if (!retried) {
    co_return call.reject(refusalFor(retried.error(), kDeadLetterAdvice, deadLetterRefusal));
  }
  onRetried_();
  co_return jsonResponse(toJson(*retried));
}

drogon::Task<drogon::HttpResponsePtr> DeadLettersController::resolve(Call call) {
  auto resolution = decodeResolution(call.body());
  if (!resolution) {
    co_return call.reject(resolution.error());
  }
  const auto resolved = co_await stores_.local().resolve(
      call.id<domain::DeadLetterId>(), *std::move(resolution), call.actor(), call.deadline());
  if (!resolved) {
    co_return call.reject(refusalFor(resolved.error(), kDeadLetterAdvice, deadLetterRefusal));
  }
  co_return jsonResponse(toJson(*resolved));
}

}  // namespace auth_errors::controllers
