// Secrets in a message's body that is not text, from which nothing can be cut out. Pure; any
// thread.
#pragma once

#include <string_view>

namespace auth_errors::triage {

// Read as text in two ways: with what is no character left out, which finds words in UTF-16, and
// with a blank for it, which keeps the fields of a record apart.
bool showsSecrets(std::string_view body);

}  // namespace auth_errors::triage
