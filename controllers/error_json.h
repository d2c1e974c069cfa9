// A stored error as JSON, in full or as an item of a list. What is absent is null; times are UTC
// with microseconds. Pure; any thread.
#pragma once

#include <string>

#include "reading/error_reader.h"

namespace auth_errors::controllers {

// Appends one object.
void appendJson(std::string& out, const reading::StoredAuthError& error, reading::Extent extent);

}  // namespace auth_errors::controllers
