// Demangles C++ and legacy Rust names as far as the function's path, because only some traces
// contain mangled names. A pure function: any thread, linear. The runtime's __cxa_demangle is not
// linear: a hostile symbol of a few hundred bytes with back-references makes it allocate gigabytes.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// "_ZN4auth5loginEi" is "auth::login": no parameters, no type arguments. Empty if the symbol is not
// mangled or contains a back-reference, which is not followed.
std::string demangledPath(std::string_view symbol);

}  // namespace auth_errors::domain
