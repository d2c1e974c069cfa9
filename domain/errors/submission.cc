#include "domain/errors/submission.h"

#include <algorithm>
#include <format>
#include <utility>

#include "domain/values/ascii.h"
#include "domain/values/ip_address.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

bool isPrintableAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

FieldProblem notUtf8(const TextRule& rule) {
  return {.field = rule.name, .code = "invalid", .message = "must not contain unpaired surrogates"};
}

FieldProblem tooLong(const TextRule& rule) {
  return {.field = rule.name,
          .code = "too_long",
          .message = std::format("must have at most {} characters", rule.limit)};
}

class Problems {
 public:
  explicit Problems(const std::vector<FieldProblem>& decoding) : all_(decoding) {}

  void add(std::string_view field, std::string_view code, std::string message) {
    all_.push_back({.field = field, .code = code, .message = std::move(message)});
  }

  void add(FieldProblem problem) { all_.push_back(std::move(problem)); }

  // Reports an absent field, unless decoding has already reported it.
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
    problems.add(kOccurredAtField, "out_of_range", "must not be more than 24 hours in the future");
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

// Kinds that a generated id may match by chance: sixteen digits can pass for a card number.
bool mayBeChance(std::string_view name, RedactionKind kind) {
  return kind == RedactionKind::card && allOf(name, kDigitChar);
}

class Acceptance {
 public:
  Acceptance(Submission submission, Instant now, const std::vector<FieldProblem>& decoding,
             const AcceptanceRules& rules)
      : submission_(std::move(submission)), now_(now), rules_(rules), problems_(decoding) {}

  std::expected<AcceptedError, std::vector<FieldProblem>> run() {
    accepted_.occurredAt = checkOccurredAt(submission_.occurredAt, now_, problems_);
    accepted_.httpStatus = checkHttpStatus(submission_.httpStatus, problems_);
    // The identifiers come first, because the other texts are searched for them.
    for (const TextRule& rule : kTextRules) {
      if (rule.cleaning == Cleaning::identifier) {
        checkIdentifier(rule);
      }
    }
    scrubContext_ = {.userId = textOr(TextField::userId),
                     .sessionId = textOr(TextField::sessionId),
                     .clientIp = textOr(TextField::clientIp)};
    for (const TextRule& rule : kTextRules) {
      if (rule.cleaning != Cleaning::identifier) {
        checkText(rule);
      }
    }
    if (!problems_.empty()) {
      return std::unexpected(problems_.take());
    }
    accepted_.texts = std::move(submission_.texts);
    takeActors();
    return std::move(accepted_);
  }

 private:
  [[nodiscard]] std::string_view textOr(TextField field) {
    const auto& text = submission_.text(field);
    return text ? std::string_view(*text) : std::string_view{};
  }

  void checkIdentifier(const TextRule& rule) {
    std::optional<std::string>& text = submission_.text(rule.field);
    if (!text) {
      return;
    }
    auto normalised = normaliseIdentifier(rule.field, *text);
    if (!normalised) {
      problems_.add(normalised.error());
    }
    text = std::move(normalised).value_or(std::nullopt);
  }

  void clean(const TextRule& rule, std::optional<std::string>& text) {
    if (rule.cleaning == Cleaning::asSent) {
      return;
    }
    ScrubContext context = scrubContext_;
    context.named = rule.cleaning == Cleaning::name;
    SanitisedText sanitised = sanitise(*text, rule.limit, context);
    if (sanitised.truncated && rule.overlong == Overlong::refuse) {
      problems_.add(tooLong(rule));
    }
    accepted_.redactions.add(sanitised.counts);
    text = std::move(sanitised.text);
  }

  void checkText(const TextRule& rule) {
    std::optional<std::string>& text = submission_.text(rule.field);
    if (text && rule.field == TextField::requestId && !isPrintableAscii(*text)) {
      problems_.add(rule.name, "invalid", "must be printable ASCII");
      return;
    }
    if (text && !isValidUtf8(*text)) {
      problems_.add(notUtf8(rule));
      text.reset();
      return;
    }
    if (text) {
      clean(rule, text);
    }
    if (!text || text->empty()) {
      text.reset();
      if (rule.required) {
        problems_.addMissing(rule.name);
      }
    } else if (hasMoreCodePoints(*text, rule.limit)) {
      problems_.add(tooLong(rule));
    } else if (rule.field == TextField::requestId && holdsSecret(*text)) {
      problems_.add(rule.name, "secret", std::string(kLooksLikeSecret));
    }
  }

  void takeActors() {
    for (const auto& [kind, field] : kActorFields) {
      auto& text = accepted_.texts.at(static_cast<std::size_t>(field));
      if (text && rules_.pseudonymise) {
        accepted_.pseudonyms.at(static_cast<std::size_t>(kind)) = rules_.pseudonymise(kind, *text);
      }
      if (!rules_.keepIdentifiers) {
        text.reset();
      }
    }
  }

  Submission submission_;
  Instant now_;
  const AcceptanceRules& rules_;
  Problems problems_;
  ScrubContext scrubContext_;
  AcceptedError accepted_;
};

}  // namespace

bool holdsSecret(std::string_view name) {
  const RedactionCounts counts = scrub(name, {.named = true}).counts;
  return std::ranges::any_of(kRedactionKinds, [&](const RedactionKindRow& row) {
    return counts.of(row.kind) > 0 && !mayBeChance(name, row.kind);
  });
}

std::expected<std::optional<std::string>, FieldProblem> normaliseIdentifier(TextField field,
                                                                            std::string_view text) {
  const TextRule& rule = ruleOf(field);
  if (!isValidUtf8(text)) {
    return std::unexpected(notUtf8(rule));
  }
  std::string tidied = tidy(text);
  if (tidied.empty()) {
    return std::nullopt;
  }
  if (hasMoreCodePoints(tidied, rule.limit)) {
    return std::unexpected(tooLong(rule));
  }
  if (field != TextField::clientIp) {
    return tidied;
  }
  const auto address = IpAddress::parse(tidied);
  if (!address) {
    return std::unexpected(
        FieldProblem{.field = rule.name,
                     .code = "invalid",
                     .message = "must be an IPv4 or IPv6 address, without a port"});
  }
  return address->text();
}

std::expected<AcceptedError, std::vector<FieldProblem>> accept(
    Submission submission, Instant now, const std::vector<FieldProblem>& decodingProblems,
    const AcceptanceRules& rules) {
  return Acceptance(std::move(submission), now, decodingProblems, rules).run();
}

std::vector<std::pair<TextField, SanitisedText>> sanitiseTexts(const Submission& submission) {
  const auto identifier = [&](TextField field) {
    const auto& text = submission.texts.at(static_cast<std::size_t>(field));
    return text ? tidy(*text) : std::string{};
  };
  const std::string userId = identifier(TextField::userId);
  const std::string sessionId = identifier(TextField::sessionId);
  const std::string clientIp = identifier(TextField::clientIp);
  ScrubContext context{.userId = userId, .sessionId = sessionId, .clientIp = clientIp};
  std::vector<std::pair<TextField, SanitisedText>> sanitised;
  for (const TextRule& rule : kTextRules) {
    const auto& text = submission.texts.at(static_cast<std::size_t>(rule.field));
    if (text && isScrubbed(rule)) {
      context.named = rule.cleaning == Cleaning::name;
      sanitised.emplace_back(rule.field, sanitise(*text, rule.limit, context));
    }
  }
  return sanitised;
}

}  // namespace auth_errors::domain
