// The sanitiser: makes a submitted text fit to be stored, in the policy's order.
// A pure function: any thread, no state. Its result is valid UTF-8, holds no control character but
// LF and TAB and no secret, and sanitising it again changes nothing. It reads no more than about
// ten times what it may keep, so that a body of a megabyte holds an IO loop no longer than a trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/scrub/scrubber.h"

namespace auth_errors::domain {

inline constexpr std::size_t kMaxMessageCodePoints = 1'000;
inline constexpr std::size_t kMaxStacktraceCodePoints = 8'000;

// How much of a long text is read: 8 bytes for each code point that may be stored, and what is
// ahead of them. A text that redactions shrink so much that even this does not fill its limit is
// stored shorter than it could be; its secrets are seen whole in any case, since none of the text
// that is read ahead is stored.
inline constexpr std::size_t kReadPerCodePoint = 8;
inline constexpr std::size_t kReadAtLeast = std::size_t{16} << 10U;
inline constexpr std::size_t kReadAhead = std::size_t{8} << 10U;

struct SanitisedText {
  std::optional<std::string> text;  // nullopt if nothing was left
  RedactionCounts counts;           // of what was read, also behind the cut
  bool truncated = false;           // something of the text is not stored, secrets and blanks aside
};

// The first and the last steps alone, for texts that are not stored as they are: newlines, control
// characters, trimmed.
std::string tidy(std::string_view text);

SanitisedText sanitise(std::string_view text, std::size_t maxCodePoints,
                       const ScrubContext& context);

}  // namespace auth_errors::domain
