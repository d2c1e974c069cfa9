// Where the checkout and the build lie. Only this source knows, so that all others are compiled
// alike wherever that is, and the compiler's cache serves every clone.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::tests {

std::string projectPath(std::string_view inCheckout);
std::string migrationsFolder();
std::string builtBinary(std::string_view name);

}  // namespace auth_errors::tests
