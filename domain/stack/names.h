// Names of functions and classes in traces, without what compilers and runtimes add. Pure
// functions: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Removes parameters, type arguments, closures, counters, hashes and markers of generated code; the
// result has neither blanks nor brackets. One set of rules serves all languages, so cleaning a name
// is idempotent.
std::string cleanName(std::string_view name);

// The last part of a qualified name in any language: "BadCredentialsException".
std::string_view simpleName(std::string_view name);

// Runtime frames that may be absent from another occurrence of the same fault: reflection, which
// the JVM replaces by generated code after some calls, and code that resumes asynchronous
// functions.
bool isPlumbing(std::string_view cleanedName);

}  // namespace auth_errors::domain
