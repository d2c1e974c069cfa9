// The redactions of an error, in the form of auth_error.redactions. Pure; usable from any thread.
#pragma once

#include <optional>
#include <string>

#include "domain/scrub/kinds.h"

namespace auth_errors::triage {

// {"jwt":1}, or nothing if nothing was redacted.
std::optional<std::string> redactionsJson(const domain::RedactionCounts& counts);

}  // namespace auth_errors::triage
