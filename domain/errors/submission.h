// What a client submits, and the rules that turn it into an AuthError. One table has every field's
// name and limits. Pure functions, usable from any thread; anything outside the standard library
// (the keyed hash) is passed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/scrub/sanitiser.h"
#include "domain/values/instant.h"

namespace auth_errors::domain {

enum class TextField : std::uint8_t {
  requestId,
  exceptionClass,
  stacktrace,
  exceptionMessage,
  rootCauseClass,
  rootCauseMessage,
  httpMethod,
  requestUri,
  userAgent,
  serviceName,
  environment,
  traceId,
  userId,
  sessionId,
  clientIp,
};

inline constexpr std::size_t kTextFieldCount = 15;

enum class Overlong : std::uint8_t { refuse, truncate };

enum class Cleaning : std::uint8_t {
  asSent,      // compared byte by byte, so accepted unchanged or refused
  sanitise,    // all steps of the policy, including scrubbing
  name,        // likewise, but nothing is redacted merely because it looks random
  identifier,  // identifies a person or a connection: normalised, and hashed instead of scrubbed
};

struct TextRule {
  TextField field;
  std::string_view name;
  bool required;
  std::size_t limit;  // in code points
  Overlong overlong;
  Cleaning cleaning;
};

inline constexpr std::size_t kMaxNameCodePoints = 255;
inline constexpr std::size_t kMaxIdentifierCodePoints = 1'024;

inline constexpr std::array<TextRule, kTextFieldCount> kTextRules{{
    {TextField::requestId, "requestId", true, 128, Overlong::refuse, Cleaning::asSent},
    {TextField::exceptionClass, "exceptionClass", true, kMaxNameCodePoints, Overlong::refuse,
     Cleaning::name},
    {TextField::stacktrace, "stacktrace", true, kMaxStacktraceCodePoints, Overlong::truncate,
     Cleaning::sanitise},
    {TextField::exceptionMessage, "exceptionMessage", false, kMaxMessageCodePoints,
     Overlong::truncate, Cleaning::sanitise},
    {TextField::rootCauseClass, "rootCauseClass", false, kMaxNameCodePoints, Overlong::refuse,
     Cleaning::name},
    {TextField::rootCauseMessage, "rootCauseMessage", false, kMaxMessageCodePoints,
     Overlong::truncate, Cleaning::sanitise},
    {TextField::httpMethod, "httpMethod", false, 32, Overlong::refuse, Cleaning::name},
    {TextField::requestUri, "requestUri", false, 2'000, Overlong::truncate, Cleaning::sanitise},
    {TextField::userAgent, "userAgent", false, 500, Overlong::truncate, Cleaning::sanitise},
    {TextField::serviceName, "serviceName", false, kMaxNameCodePoints, Overlong::refuse,
     Cleaning::name},
    {TextField::environment, "environment", false, kMaxNameCodePoints, Overlong::refuse,
     Cleaning::name},
    {TextField::traceId, "traceId", false, kMaxNameCodePoints, Overlong::refuse, Cleaning::name},
    {TextField::userId, "userId", false, kMaxIdentifierCodePoints, Overlong::refuse,
     Cleaning::identifier},
    {TextField::sessionId, "sessionId", false, kMaxIdentifierCodePoints, Overlong::refuse,
     Cleaning::identifier},
    {TextField::clientIp, "clientIp", false, kMaxIdentifierCodePoints, Overlong::refuse,
     Cleaning::identifier},
}};

// Whether scrubbing may change the field's text.
constexpr bool isScrubbed(const TextRule& rule) {
  return rule.cleaning == Cleaning::sanitise || rule.cleaning == Cleaning::name;
}

constexpr const TextRule& ruleOf(TextField field) {
  return kTextRules.at(static_cast<std::size_t>(field));
}

inline constexpr std::string_view kOccurredAtField = "occurredAt";
inline constexpr std::string_view kHttpStatusField = "httpStatus";
inline constexpr std::chrono::hours kMaximumAhead{24};

using Texts = std::array<std::optional<std::string>, kTextFieldCount>;

// The decoded request; nullopt is a field that was absent or null.
struct Submission {
  Texts texts;
  std::optional<std::string> occurredAt;
  std::optional<std::int64_t> httpStatus;

  [[nodiscard]] std::optional<std::string>& text(TextField field) {
    return texts.at(static_cast<std::size_t>(field));
  }
};

struct FieldProblem {
  std::string_view field;
  std::string_view code;
  std::string message;
};

// For names that are accepted unchanged or refused, such as a request id: they are lookup keys and
// cannot be redacted.
bool holdsSecret(std::string_view name);
inline constexpr std::string_view kLooksLikeSecret =
    "looks like a secret or personal data, which must not be stored";

enum class ActorKind : std::uint8_t { user, session, clientIp };
inline constexpr std::size_t kActorKindCount = 3;
inline constexpr std::array<std::pair<ActorKind, TextField>, kActorKindCount> kActorFields{{
    {ActorKind::user, TextField::userId},
    {ActorKind::session, TextField::sessionId},
    {ActorKind::clientIp, TextField::clientIp},
}};

// Normalises an identifier to the spelling from which its pseudonym is made: trims it, parses an
// address. Nothing if it is empty afterwards. `field` is one of kActorFields.
std::expected<std::optional<std::string>, FieldProblem> normaliseIdentifier(TextField field,
                                                                            std::string_view text);

// Returns the pseudonym of an identifier: deterministic and not reversible.
using Pseudonymise = std::function<std::string(ActorKind kind, std::string_view identifier)>;

struct AcceptanceRules {
  Pseudonymise pseudonymise;     // if empty, pseudonyms are not stored either
  bool keepIdentifiers = false;  // also store userId, sessionId and clientIp in plain text
};

// An error that satisfies every rule of ingestion. The texts of userId, sessionId and clientIp are
// present only if the rules keep identifiers.
struct AcceptedError {
  Texts texts;
  std::array<std::optional<std::string>, kActorKindCount> pseudonyms;
  RedactionCounts redactions;
  Instant occurredAt;
  std::int32_t httpStatus = 0;
  // Trace context of the request, for the event; not part of the error's content.
  std::optional<std::string> traceparent;

  [[nodiscard]] const std::optional<std::string>& text(TextField field) const {
    return texts.at(static_cast<std::size_t>(field));
  }
  [[nodiscard]] const std::string& required(TextField field) const { return *text(field); }
  [[nodiscard]] const std::optional<std::string>& pseudonym(ActorKind kind) const {
    return pseudonyms.at(static_cast<std::size_t>(kind));
  }
};

// Returns all problems at once. `decodingProblems` are those of fields with the wrong JSON type;
// these fields are not also reported as missing.
std::expected<AcceptedError, std::vector<FieldProblem>> accept(
    Submission submission, Instant now, const std::vector<FieldProblem>& decodingProblems,
    const AcceptanceRules& rules);

// The result of accept() for each present text that is sanitised, whether or not other fields are
// missing.
std::vector<std::pair<TextField, SanitisedText>> sanitiseTexts(const Submission& submission);

}  // namespace auth_errors::domain
