// The sanitiser: makes a submitted text fit for storage, in the order of the policy.
// A pure function: any thread, no state. The result is valid UTF-8 without secrets and without
// control characters other than LF and TAB, and sanitising it again changes nothing. At most about
// ten times the storable length is read, so that a body of a megabyte does not block an IO loop
// longer than a trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/scrub/scrubber.h"

namespace auth_errors::domain {

inline constexpr std::size_t kMaxMessageCodePoints = 1'000;
inline constexpr std::size_t kMaxStacktraceCodePoints = 8'000;

// Read limit for a long text: 8 bytes for each code point that may be stored, plus lookahead. If
// redactions shrink a text so much that even this does not fill its limit, less is stored than
// possible; the secrets are still seen whole, since lookahead text is never stored.
inline constexpr std::size_t kReadPerCodePoint = 8;
inline constexpr std::size_t kReadAtLeast = std::size_t{16} << 10U;
inline constexpr std::size_t kReadAhead = std::size_t{8} << 10U;

struct SanitisedText {
  std::optional<std::string> text;  // nullopt if the result is empty
  RedactionCounts counts;           // redactions in the text read, including text after the cut
  bool truncated = false;  // part of the text, other than secrets and blanks, is not stored
};

// Only the first and last steps: normalises newlines, removes control characters and trims. For
// texts that are not stored unchanged.
std::string tidy(std::string_view text);

SanitisedText sanitise(std::string_view text, std::size_t maxCodePoints,
                       const ScrubContext& context);

}  // namespace auth_errors::domain
