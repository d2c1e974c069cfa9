// What a client submits, and the rules that turn it into an AuthError that may be stored. Every
// field's name and limits stand in one table. Pure functions, free to use on any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/instant.h"
#include "domain/sanitiser.h"

namespace auth_errors::domain {

enum class TextField : std::uint8_t {
  requestId,
  exceptionClass,
  stacktrace,
};

inline constexpr std::size_t kTextFieldCount = 3;

enum class Overlong : std::uint8_t { refuse, truncate };
// A request id is compared byte by byte, so it is taken as it is or not at all.
enum class Cleaning : std::uint8_t { asSent, sanitise };

struct TextRule {
  TextField field;
  std::string_view name;
  bool required;
  std::size_t limit;  // in code points
  Overlong overlong;
  Cleaning cleaning;
};

inline constexpr std::array<TextRule, kTextFieldCount> kTextRules{{
    {TextField::requestId, "requestId", true, 128, Overlong::refuse, Cleaning::asSent},
    {TextField::exceptionClass, "exceptionClass", true, 255, Overlong::refuse, Cleaning::sanitise},
    {TextField::stacktrace, "stacktrace", true, kMaxStacktraceCodePoints, Overlong::truncate,
     Cleaning::sanitise},
}};

inline constexpr std::string_view kOccurredAtField = "occurredAt";
inline constexpr std::string_view kHttpStatusField = "httpStatus";
inline constexpr std::chrono::hours kMaximumAhead{24};

// The decoded request: nullopt is a field that was absent or null.
struct Submission {
  std::array<std::optional<std::string>, kTextFieldCount> texts;
  std::optional<std::string> occurredAt;
  std::optional<std::int64_t> httpStatus;
};

struct FieldProblem {
  std::string_view field;
  std::string_view code;
  std::string message;
};

// An error that keeps every rule of ingestion.
struct AcceptedError {
  std::array<std::optional<std::string>, kTextFieldCount> texts;
  Instant occurredAt;
  std::int32_t httpStatus = 0;

  [[nodiscard]] const std::string& required(TextField field) const {
    return *texts.at(static_cast<std::size_t>(field));
  }
};

// All problems at once. `decodingProblems` are of fields whose JSON type was wrong, which are then
// not called missing as well.
std::expected<AcceptedError, std::vector<FieldProblem>> accept(
    Submission submission, Instant now, const std::vector<FieldProblem>& decodingProblems);

}  // namespace auth_errors::domain
