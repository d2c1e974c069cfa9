// Values and words that follow the name of a secret but are not secrets.
// Immutable tables and pure functions: any thread; linear in the value.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// Values that reveal nothing: null, true, "***", "<hidden>", "${DB_PASSWORD}", "?" …
bool isHarmlessValue(std::string_view value);

// Values that are entirely a mask or placeholder: "***", "xxxxx", "${DB_PASSWORD}", "<password>".
// Applies where the value is certainly a password, which may be any word.
bool isMasked(std::string_view value);

// Words that follow a label in prose: "password: must have 8 characters".
bool isProseWord(std::string_view value);

}  // namespace auth_errors::domain
