// Paths of the checkout and the build. Only this source has them compiled in, so that all others
// compile alike in every clone and share the compiler cache.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::tests {

std::string projectPath(std::string_view inCheckout);
std::string migrationsFolder();
std::string builtBinary(std::string_view name);

}  // namespace auth_errors::tests
