// What an error's texts say about the fault behind it: the hash that equal faults share, and what
// it was made of. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "domain/stack/stack_hash.h"
#include "platform/database/result.h"

namespace auth_errors::clusters {

struct Fault {
  std::string stackHash;
  domain::StackFingerprint fingerprint;
};

Fault faultOf(const domain::FaultTexts& texts);

// For statements that select them of the AuthError `e`.
inline constexpr const char* kFaultColumns =
    "e.exception_class, e.root_cause_class, e.exception_message, e.stacktrace";
// From the column `first` on.
Fault faultOf(const database::Result& result, std::size_t row, std::size_t first);

// As cluster_route keeps it: {version, classes, frames, message}.
std::string fingerprintJson(const domain::StackFingerprint& fingerprint);
// The way back; throws std::runtime_error on what is none.
domain::StackFingerprint fingerprintFrom(std::string_view json);

}  // namespace auth_errors::clusters
