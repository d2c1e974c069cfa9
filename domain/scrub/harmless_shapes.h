// Harmless shapes that contain digits or unusual letters as secrets do.
// Immutable tables and pure functions: any thread; linear in the token.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// 0x1f, _ZN4auth…, sha256, versions, dates, sizes, host names, cloud and message ids, file names
// with an extension, dotted or camel-case names.
bool isHarmlessShape(std::string_view token);

// SHA256, RS256, AES256-CTS-HMAC-SHA1-96, OAuth2, TLSv1.3, x509, krb5: names that contain numbers.
bool isAlgorithm(std::string_view token);

}  // namespace auth_errors::domain
