// Which values a word family accepts, by their looks: behind a key of the family, or where it was
// named before. Pure functions: any thread; linear in the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/site_keys.h"

namespace auth_errors::domain {

// The shortest lengths that callers ask for were tuned on tests/corpus: the less is known about a
// value's place, the longer it must be.

// Most one-time codes have as many digits; fewer may be a status, a year or an error's number.
inline constexpr std::size_t kFullCode = 6;
bool isFullCode(std::string_view value);

// A text that begins with a word of a sentence.
bool isProse(std::string_view value);

// Made by a program, and none of the shapes that are harmless.
bool acceptsGenerated(std::string_view value, std::size_t shortest);

// Long, ASCII, and not made of words.
bool isLongOpaque(std::string_view value, std::size_t shortest);

// Letters of both cases and a digit.
bool looksMixed(std::string_view value);

// Adm1nistr8or: digits in the place of letters, twice.
bool isLeet(std::string_view value);

// A letter, a digit and a sign between letters or digits: Wint3r#Frost; also Passw0rd.
bool looksLikePassword(std::string_view value);

// What may be the value of a key of the family.
bool acceptsKeyed(Family family, std::string_view value, bool quoted, Sign sign);

// What may be the value of a word of the family that was named before.
bool acceptsInContext(Family family, std::string_view value, bool quoted);

}  // namespace auth_errors::domain
