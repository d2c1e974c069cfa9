// Redaction of the identifiers that were submitted with an error.
// Pure functions: any thread.
#pragma once

#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/rewriting.h"

namespace auth_errors::domain {

// True if an identifier is specific enough to a person to be searched for (see ScrubContext).
bool isTellingIdentifier(std::string_view identifier);

// Replaces every occurrence of the identifier as a whole token; false if there is none. A client
// address is found in every spelling: 2001:db8::1, [2001:DB8:0::1]:443, ::ffff:192.0.2.7.
bool redactIdentifier(ScrubbedFront& target, std::string_view identifier, RedactionKind kind,
                      RedactionCounts& counts);

}  // namespace auth_errors::domain
