// What a client submits, and the rules that turn it into an AuthError that may be stored. Every
// field's name and limits stand in one table. Pure functions, free to use on any thread; what is
// not of the standard library (the keyed hash) is handed in.
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
  asSent,      // compared byte by byte, so it is taken as it is or not at all
  sanitise,    // the policy's whole order, secrets scrubbed
  name,        // the same, but nothing is taken for a secret because of its looks alone
  identifier,  // names a person or a connection: tidied, but not scrubbed, since it is hashed
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

// The decoded request: nullopt is a field that was absent or null.
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

// Of a name that is taken as it is or not at all, such as a request's id: it is looked up by, so it
// can't be redacted.
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

// An identifier in the one spelling that its pseudonym is made of, wherever it comes from: tidied,
// an address parsed. Nothing if nothing is left of it. `field` is one of kActorFields.
std::expected<std::optional<std::string>, FieldProblem> normaliseIdentifier(TextField field,
                                                                            std::string_view text);

// Gives the pseudonym that stands for an identifier: the same for the same, and no way back.
using Pseudonymise = std::function<std::string(ActorKind kind, std::string_view identifier)>;

struct AcceptanceRules {
  Pseudonymise pseudonymise;     // none: no pseudonyms are stored either
  bool keepIdentifiers = false;  // also store userId, sessionId and clientIp as they were sent
};

// An error that keeps every rule of ingestion. The texts of userId, sessionId and clientIp are
// there only if the rules keep identifiers.
struct AcceptedError {
  Texts texts;
  std::array<std::optional<std::string>, kActorKindCount> pseudonyms;
  RedactionCounts redactions;
  Instant occurredAt;
  std::int32_t httpStatus = 0;
  // Of the request that brought it, for its event; no part of the error's content.
  std::optional<std::string> traceparent;

  [[nodiscard]] const std::optional<std::string>& text(TextField field) const {
    return texts.at(static_cast<std::size_t>(field));
  }
  [[nodiscard]] const std::string& required(TextField field) const { return *text(field); }
  [[nodiscard]] const std::optional<std::string>& pseudonym(ActorKind kind) const {
    return pseudonyms.at(static_cast<std::size_t>(kind));
  }
};

// All problems at once. `decodingProblems` are of fields whose JSON type was wrong, which are then
// not called missing as well.
std::expected<AcceptedError, std::vector<FieldProblem>> accept(
    Submission submission, Instant now, const std::vector<FieldProblem>& decodingProblems,
    const AcceptanceRules& rules);

// What accept() would make of each text that is there and is sanitised, whatever else is missing.
std::vector<std::pair<TextField, SanitisedText>> sanitiseTexts(const Submission& submission);

}  // namespace auth_errors::domain
