// Detects secrets in binary message bodies, from which nothing can be cut out. Pure; usable from
// any thread.
#pragma once

#include <string_view>

namespace auth_errors::triage {

// Reads the body as text in two ways: without non-text bytes, which finds words in UTF-16, and with
// a blank for each, which separates the fields of a record.
bool showsSecrets(std::string_view body);

}  // namespace auth_errors::triage
