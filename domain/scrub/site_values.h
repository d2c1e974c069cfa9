// The values that a word family accepts, by their appearance: after a key of the family, or after
// an earlier word of it. Pure functions: any thread; linear in the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/site_keys.h"

namespace auth_errors::domain {

// The minimum lengths at the call sites were tuned on tests/corpus: the less evidence the position
// provides, the longer the value must be.

// Most one-time codes have at least this many digits; shorter numbers may be a status, a year or an
// error number.
inline constexpr std::size_t kFullCode = 6;
bool isFullCode(std::string_view value);

// A text that begins like a sentence.
bool isProse(std::string_view value);

// Looks generated, without a known harmless shape.
bool acceptsGenerated(std::string_view value, std::size_t shortest);

// Long, ASCII, and not composed of words.
bool isLongOpaque(std::string_view value, std::size_t shortest);

// Letters of both cases and a digit.
bool looksMixed(std::string_view value);

// Adm1nistr8or: digits in place of letters, at least twice.
bool isLeet(std::string_view value);

// A letter, a digit and a sign between letters or digits: Wint3r#Frost; also Passw0rd.
bool looksLikePassword(std::string_view value);

// True if the value is plausible after a key of the family.
bool acceptsKeyed(Family family, std::string_view value, bool quoted, Sign sign);

// True if the value is plausible after an earlier word of the family.
bool acceptsInContext(Family family, std::string_view value, bool quoted);

}  // namespace auth_errors::domain
