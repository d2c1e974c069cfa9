// Shapes that hold digits or odd letters as secrets do, and are known to be harmless.
// Immutable tables and pure functions: any thread; linear in the token.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// 0x1f, _ZN4auth…, sha256, versions, dates, sizes, host names, ids of clouds and of messages, file
// names with an extension, dotted or camel-case names.
bool isHarmlessShape(std::string_view token);

// SHA256, RS256, AES256-CTS-HMAC-SHA1-96, OAuth2, TLSv1.3, x509, krb5: names with numbers in them.
bool isAlgorithm(std::string_view token);

}  // namespace auth_errors::domain
