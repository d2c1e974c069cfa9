// The secret scrubber: replaces secrets and personal data in a text by constant markers.
// Any thread; the only state is the patterns set at startup. Linear in the text, idempotent by
// construction (passes repeat until one finds nothing), and never splits a code point.
#pragma once

#include <string>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/patterns.h"

namespace auth_errors::domain {

// Incremented with every change to the stored form of a text, including changes to the sanitiser:
// digests of stored texts are comparable only under the same version.
inline constexpr int kScrubberVersion = 3;

// Identifies everything that determines the stored form of a text: kScrubberVersion and, if set,
// the digest of the organisation's patterns: "2", "2.3f8a09c1d2e4". Stored with each error.
std::string scrubberVersion();

// The identifiers submitted with the error. Each is redacted wherever it occurs as a whole token,
// exactly as submitted, unless it is too common to identify a person: shorter than 4 characters;
// only digits and shorter than 6 (ports, years, line numbers); or only letters and a word of every
// trace (`user`, `admin`, `null`, …). An identifier of letters alone is also kept inside a dotted
// name (`com.alice.Main`).
struct ScrubContext {
  std::string_view userId = {};
  std::string_view sessionId = {};
  std::string_view clientIp = {};  // in any spelling; loopback and unspecified addresses are kept

  // The text is an id or a name (a trace id, a service name): unless it contains blanks, nothing is
  // redacted for its appearance alone.
  bool named = false;
};

struct ScrubResult {
  std::string text;
  RedactionCounts counts;
};

ScrubResult scrub(std::string_view text, const ScrubContext& context);

// Scrubs the first `front` bytes of a text. The rest is lookahead and not returned, so that a
// secret across the end is seen whole and leaves no remnant.
// REQUIRES: `front` is the end of a code point, and the rest is longer than any self-delimiting
// secret.
ScrubResult scrubFront(std::string_view text, std::size_t front, const ScrubContext& context);

}  // namespace auth_errors::domain
