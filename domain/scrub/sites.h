// The final stage of the scrubber: splits the text that the detectors left into tokens and judges
// each value by its neighbours and its appearance. Fails closed: a value that looks generated is
// redacted unless its context makes it harmless. A pure function: any thread. Linear: a bounded
// number of neighbours is examined for each token.
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

// Calls `visit` with each candidate value: the training examples of the weights.
void forEachSite(std::string_view text, const SiteVisitor& visit);

}  // namespace auth_errors::domain
