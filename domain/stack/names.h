// Names of functions and classes as they stand in traces, without what compilers and runtimes add
// to them. Pure functions: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Parameters, type arguments, closures, counters, hashes and markers of generated code are left
// out; what is left has neither blanks nor brackets. One set of rules serves all languages, so that
// a cleaned name is a name that cleaning does not change.
std::string cleanName(std::string_view name);

// The last part of a qualified name of whatever language: "BadCredentialsException".
std::string_view simpleName(std::string_view name);

// Frames of the runtime's own that come and go without the fault being another: reflection that the
// JVM replaces by generated code after some calls, and what resumes asynchronous code.
bool isPlumbing(std::string_view cleanedName);

}  // namespace auth_errors::domain
