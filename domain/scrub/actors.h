// Redaction of the identifiers that were submitted with an error.
// A pure function: any thread.
#pragma once

#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/rewriting.h"

namespace auth_errors::domain {

// Whether an identifier says enough about a person to be looked for (see ScrubContext).
bool isTellingIdentifier(std::string_view identifier);

// Replaces the identifier wherever it is a whole token; false if it is nowhere. An address of the
// client is found in every spelling: 2001:db8::1, [2001:DB8:0::1]:443, ::ffff:192.0.2.7.
bool redactIdentifier(ScrubbedFront& target, std::string_view identifier, RedactionKind kind,
                      RedactionCounts& counts);

}  // namespace auth_errors::domain
