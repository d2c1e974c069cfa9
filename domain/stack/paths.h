// What of a source file's path names the file and not the machine, build or release that it lies
// on. A pure function: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Appends the part of `path` that stays from build to build:
// - of a library's file its place below the library folder ("site-packages/django/urls/base.py"),
// - of any other file its name and folder ("auth/views.py"), without the folder if that is a root
//   that machines and releases choose ("/app/main.py", "/srv/releases/20240101/main.py").
// Hashes of bundles and versions are left out of every name. Doing it again changes nothing.
void appendPlace(std::string& out, std::string_view path);

// Whether a place is in a library's folder.
bool isLibraryPlace(std::string_view place);

}  // namespace auth_errors::domain
