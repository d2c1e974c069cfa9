// A rule: which errors it matches and what it decides on them. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/names.h"
#include "triage/errors/decisions.h"
#include "triage/errors/error_match.h"

namespace auth_errors::rules {

// A batch of errors is compared with all of them.
inline constexpr std::int64_t kMaxRules = 1'000;
inline constexpr std::int64_t kLastPosition = 1'000'000;
// A status is dated by the start of the transaction that changes it; when an error is old enough
// for a rule, that transaction, which our time limits end within half a minute, has long been
// committed. So reading in the order of that date misses nothing.
inline constexpr std::int64_t kMinAfterSeconds = 60;
inline constexpr std::int64_t kMaxAfterSeconds = 31'536'000;

// The writable part of a rule. The fields are in the order of the columns that the store reads,
// like those of Rule.
struct RuleSettings {
  std::string name;
  std::optional<std::int32_t> position;  // a new rule without one comes last
  bool enabled = true;
  triage::ErrorMatch match;
  domain::StoredName<domain::Decision> action;
  std::optional<std::string> note;  // sanitised
  // How long an error must have waited undecided. Without it, the rule acts when an error is
  // analysed.
  std::optional<std::int64_t> afterSeconds;
};

struct Rule {
  domain::RuleId id;
  RuleSettings settings;
  std::int64_t hitCount = 0;
  std::optional<domain::Instant> lastHitAt;
  std::int64_t failureCount = 0;
  std::optional<std::string> lastFailure;
  std::optional<domain::Instant> lastFailureAt;
  domain::Instant createdAt;
  std::string createdBy;
  domain::Instant changedAt;
  std::string changedBy;
};

// 1 to 64 letters, digits, dots, underscores and hyphens; the first is a letter or a digit.
bool isRuleName(std::string_view name);

// How a decision names the rule that made it.
inline constexpr std::string_view kDeciderPrefix = "rule:";
std::string deciderOf(std::string_view name);
// Nothing for an action that this version does not know.
std::optional<triage::Verdict> verdictOf(std::string_view name,
                                         const domain::StoredName<domain::Decision>& action,
                                         std::optional<std::string> note);
// The failure that is recorded for such a rule.
std::string unknownAction(std::string_view action);

}  // namespace auth_errors::rules
