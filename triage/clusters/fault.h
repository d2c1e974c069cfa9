// The fault behind an error, derived from its texts: the hash that equal faults share, and the hash
// input. Pure; usable from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/stack/stack_hash.h"

namespace auth_errors::clusters {

struct Fault {
  std::string stackHash;
  domain::StackFingerprint fingerprint;
};

Fault faultOf(const domain::FaultTexts& texts);

// The columns of a FaultRow for the AuthError `e`.
inline constexpr std::string_view kFaultColumns =
    "e.exception_class, e.root_cause_class, e.exception_message, e.stacktrace";
struct FaultRow {
  std::optional<std::string_view> exceptionClass;
  std::optional<std::string_view> rootCauseClass;
  std::optional<std::string_view> exceptionMessage;
  std::optional<std::string_view> stacktrace;
};
Fault toFault(const FaultRow& row);

// The form stored in cluster_route: {version, classes, frames, message}.
std::string fingerprintJson(const domain::StackFingerprint& fingerprint);
// The inverse; throws std::runtime_error on anything else.
domain::StackFingerprint fingerprintFrom(std::string_view json);

}  // namespace auth_errors::clusters
