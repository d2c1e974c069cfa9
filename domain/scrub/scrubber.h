// The secret scrubber: replaces secrets and personal data in a text by constant markers.
// Any thread; its only state are the patterns set at start. Linear in the text, idempotent by
// construction (it goes on until a pass finds nothing), and it never cuts a code point.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/patterns.h"
#include "domain/scrub/rewriting.h"

namespace auth_errors::domain {

// Raised by every change to what a text becomes before it is stored, the sanitiser's part included:
// two digests of what was stored are compared only if both were made under the same version.
inline constexpr int kScrubberVersion = 4;

// Names everything that decides what a text becomes: kScrubberVersion and, if an organisation's
// patterns are set, their digest: "2", "2.3f8a09c1d2e4". Stored with each error.
std::string scrubberVersion();

// The identifiers submitted with the error. They are redacted wherever they stand in a text as a
// whole token, exactly as submitted, unless they are too common to say anything about a person:
// fewer than 4 characters; only digits and fewer than 6 (ports, years, line numbers); or only
// letters and a word of every trace (`user`, `admin`, `null`, …). One made of letters alone is also
// left alone inside a dotted name (`com.alice.Main`).
struct ScrubContext {
  std::string_view userId = {};
  std::string_view sessionId = {};
  std::string_view clientIp = {};  // in any spelling; loopback and unspecified are left alone

  // The text is an id or a name by its place (a trace id, a service's name): unless it has blanks
  // in it, nothing is redacted for its looks alone.
  bool named = false;
};

struct ScrubResult {
  std::string text;
  RedactionCounts counts;
};

ScrubResult scrub(std::string_view text, const ScrubContext& context);

// What the first `front` bytes of a text become, `front` being the end of a code point. The rest is
// read but left out, so that a secret across the end is seen whole and leaves no half behind; it
// must be longer than any secret that has an end of its own.
ScrubResult scrubFront(std::string_view text, std::size_t front, const ScrubContext& context);

// What the detectors make of a text in one pass: what the weights are learned from.
ScrubbedFront withoutDetected(std::string_view text, std::size_t front);

}  // namespace auth_errors::domain
