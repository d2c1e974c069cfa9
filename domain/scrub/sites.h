// The last line of the scrubber: whatever the detectors left is cut into tokens, and each value is
// judged by what stands around it and by its looks. It fails closed: a value that nobody vouches
// for and that looks made up is redacted. A pure function: any thread. Linear: a token looks at a
// bounded number of its neighbours.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"
#include "domain/scrub/patterns.h"
#include "domain/scrub/rewriting.h"

namespace auth_errors::domain {

// False if there was nothing to redact. `patterns` may be null.
bool redactSites(ScrubbedFront& target, const ScrubPatterns* patterns,
                 const Identifiers& identifiers, RedactionCounts& counts);

using SiteVisitor = std::function<void(const Line& line, std::size_t i, const Site& site)>;

// Calls `visit` with each value that would be judged: what the weights are learned from.
void forEachSite(std::string_view text, const SiteVisitor& visit);

}  // namespace auth_errors::domain
