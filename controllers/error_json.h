// A stored error as JSON: every field that a submission may have, and what the service added to it.
// What is absent is null; times are UTC with microseconds. Pure; any thread.
#pragma once

#include <string>

#include "reading/error_reader.h"

namespace auth_errors::controllers {

// Appends one object. Without stack traces the member is left out, not null.
void appendJson(std::string& out, const reading::StoredAuthError& error,
                reading::Stacktraces stacktraces);

}  // namespace auth_errors::controllers
