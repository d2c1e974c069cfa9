// The last line of the scrubber: whatever the detectors left is cut into tokens, and each value is
// judged by what stands around it and by its looks. It fails closed: a value that nobody vouches
// for and that looks made up is redacted. A pure function: any thread. Linear: a token looks at a
// bounded number of its neighbours.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"
#include "domain/scrub/patterns.h"
#include "domain/scrub/rewriting.h"

namespace auth_errors::domain {

// False if there was nothing to redact. `patterns` may be null.
bool redactSites(ScrubbedFront& target, const ScrubPatterns* patterns,
                 const Identifiers& identifiers, RedactionCounts& counts);

// Whether the value that begins with token `i` is a secret. `rule`: what the rules take it for.
using SiteVisitor = std::function<bool(const Line& line, std::size_t i, const Site& site,
                                       std::optional<RedactionKind> rule)>;

// Calls `visit` with each value that the weights are asked about, and goes on as if it were right:
// what the weights are learned from.
void forEachSite(std::string_view text, const SiteVisitor& visit);

}  // namespace auth_errors::domain
