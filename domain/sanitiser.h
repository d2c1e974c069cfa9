// The sanitiser: makes a submitted text fit to be stored, in the policy's order.
// A pure function: any thread, no state. Its result is valid UTF-8, holds no control character but
// LF and TAB and no secret, and sanitising it again changes nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/scrubber.h"

namespace auth_errors::domain {

inline constexpr std::size_t kMaxMessageCodePoints = 1'000;
inline constexpr std::size_t kMaxStacktraceCodePoints = 8'000;

struct SanitisedText {
  std::optional<std::string> text;  // nullopt if nothing was left
  RedactionCounts counts;           // of the whole text, also behind the cut
  bool truncated = false;
};

// The first and the last steps alone, for texts that are not stored as they are: newlines, control
// characters, trimmed.
std::string tidy(std::string_view text);

SanitisedText sanitise(std::string_view text, std::size_t maxCodePoints,
                       const ScrubContext& context);

}  // namespace auth_errors::domain
