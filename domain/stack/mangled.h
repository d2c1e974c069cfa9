// Mangled names of C++ and of Rust's older way, read as far as the function's path: some traces
// hold them and some do not. A pure function: any thread, linear. The runtime's __cxa_demangle is
// none: of a hostile symbol of a few hundred bytes, which refers back to itself, it makes
// gigabytes.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// "_ZN4auth5loginEi" is "auth::login": no parameters, no type arguments. Empty if the symbol is not
// mangled, or refers back to a part of itself, which is not followed.
std::string demangledPath(std::string_view symbol);

}  // namespace auth_errors::domain
