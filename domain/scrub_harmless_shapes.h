// Shapes that hold digits or odd letters as secrets do, and are known to be harmless.
// Immutable tables and pure functions: any thread; linear in the token.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// 0x1f, _ZN4auth…, sha256, versions, dates, sizes, host names, ids of clouds and of messages, file
// names with an extension, dotted or camel-case names.
bool isHarmlessShape(std::string_view token);

}  // namespace auth_errors::domain
