// Reduces a source file's path to the part that does not depend on machine, build or release. A
// pure function: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Appends the part of `path` that is the same in every build:
// - for a library file, its path below the library folder ("site-packages/django/urls/base.py"),
// - for any other file, its name and folder ("auth/views.py"), without the folder if machines
//   and releases choose it ("/app/main.py", "/srv/releases/20240101/main.py").
// Removes versions and bundle hashes from every name. Idempotent.
void appendPlace(std::string& out, std::string_view path);

// Whether a path is in a library folder.
bool isLibraryPlace(std::string_view place);

}  // namespace auth_errors::domain
