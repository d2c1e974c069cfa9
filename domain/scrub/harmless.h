// Values and words that are no secret although they stand behind the name of one.
// Immutable tables and pure functions: any thread; linear in the value.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// Values that tell nothing: null, true, "***", "<hidden>", "${DB_PASSWORD}", "?" …
bool isHarmlessValue(std::string_view value);

// Masks and placeholders as a whole: "***", "xxxxx", "${DB_PASSWORD}", "<password>". For where a
// password certainly stands, which may be any word.
bool isMasked(std::string_view value);

// Words that follow a label in prose: "password: must have 8 characters".
bool isProseWord(std::string_view value);

}  // namespace auth_errors::domain
