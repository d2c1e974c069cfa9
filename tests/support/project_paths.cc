#include "tests/support/project_paths.h"

#include <format>

namespace auth_errors::tests {

std::string projectPath(std::string_view inCheckout) {
  return std::format("{}/{}", AUTH_ERRORS_CHECKOUT, inCheckout);
}

std::string migrationsFolder() { return projectPath("migrations"); }

std::string builtBinary(std::string_view name) {
  return std::format("{}/{}", AUTH_ERRORS_BINARIES, name);
}

}  // namespace auth_errors::tests
