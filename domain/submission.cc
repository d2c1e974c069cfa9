#include "domain/submission.h"

#include <algorithm>
#include <format>

#include "domain/utf8.h"

namespace auth_errors::domain {
namespace {

bool isPrintableAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

class Problems {
 public:
  explicit Problems(const std::vector<FieldProblem>& decoding) : all_(decoding) {}

  void add(std::string_view field, std::string_view code, std::string message) {
    all_.push_back({.field = field, .code = code, .message = std::move(message)});
  }

  // Absent, unless decoding already said what is wrong with it.
  void addMissing(std::string_view field) {
    if (!std::ranges::contains(all_, field, &FieldProblem::field)) {
      add(field, "required", "is required and must not be empty");
    }
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  std::vector<FieldProblem> take() { return std::move(all_); }

 private:
  std::vector<FieldProblem> all_;
};

Instant checkOccurredAt(const std::optional<std::string>& text, Instant now, Problems& problems) {
  if (!text) {
    problems.addMissing(kOccurredAtField);
    return {};
  }
  const std::optional<Instant> instant = parseInstant(*text);
  if (!instant) {
    problems.add(kOccurredAtField, "invalid",
                 "must be an ISO-8601 date and time with an offset, such as 2026-01-31T09:30:00Z");
    return {};
  }
  if (*instant > now + kMaximumAhead) {
    problems.add(kOccurredAtField, "out_of_range", "must not lie more than 24 hours ahead");
  }
  return *instant;
}

std::int32_t checkHttpStatus(std::optional<std::int64_t> status, Problems& problems) {
  constexpr std::int64_t kLowest = 100;
  constexpr std::int64_t kHighest = 599;
  if (!status) {
    problems.addMissing(kHttpStatusField);
    return 0;
  }
  if (*status < kLowest || *status > kHighest) {
    problems.add(kHttpStatusField, "out_of_range", "must be an integer from 100 to 599");
    return 0;
  }
  return static_cast<std::int32_t>(*status);
}

// Secrets are gone from what this leaves in `text`.
void checkText(const TextRule& rule, std::optional<std::string>& text, Problems& problems) {
  if (text && rule.field == TextField::requestId && !isPrintableAscii(*text)) {
    problems.add(rule.name, "invalid", "must be printable ASCII");
    return;
  }
  if (text && !isValidUtf8(*text)) {
    problems.add(rule.name, "invalid", "holds half of a surrogate pair");
    return;
  }
  if (text && rule.cleaning == Cleaning::sanitise) {
    const std::size_t limit = rule.overlong == Overlong::truncate ? rule.limit : text->size();
    text = sanitise(*text, limit, ScrubContext{}).text;
  }
  if (!text || text->empty()) {
    text.reset();
    if (rule.required) {
      problems.addMissing(rule.name);
    }
  } else if (countCodePoints(*text) > rule.limit) {
    problems.add(rule.name, "too_long", std::format("must have at most {} characters", rule.limit));
  }
}

}  // namespace

std::expected<AcceptedError, std::vector<FieldProblem>> accept(
    Submission submission, Instant now, const std::vector<FieldProblem>& decodingProblems) {
  Problems problems(decodingProblems);
  AcceptedError accepted;
  accepted.occurredAt = checkOccurredAt(submission.occurredAt, now, problems);
  accepted.httpStatus = checkHttpStatus(submission.httpStatus, problems);
  for (const TextRule& rule : kTextRules) {
    checkText(rule, submission.texts.at(static_cast<std::size_t>(rule.field)), problems);
  }
  if (!problems.empty()) {
    return std::unexpected(problems.take());
  }
  accepted.texts = std::move(submission.texts);
  return accepted;
}

}  // namespace auth_errors::domain
