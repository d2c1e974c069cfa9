// Families of words that announce a secret, by the stem that a name ends with: `db_pass`,
// `X-Functions-Key`, `oobCode` and `SMSESSION` belong to one although no list holds them.
// Immutable tables and pure functions: any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/scrub/kinds.h"

namespace auth_errors::domain {

enum class Family : std::uint8_t {
  none,
  password,   // a person chose it: any text may be it
  secret,     // `secret`: a value behind a sign, but in prose also the name of one
  token,      // made by a program: tokens, keys, signatures, hashes, salts
  key,        // as a token, but the word also has harmless meanings
  session,    // session ids and cookies
  code,       // one-time codes and PINs: a few digits
  plainCode,  // `code` alone: also the number of an error
  value,      // says nothing by itself: `value`, `input`, `expected`, `got`
  harmless,   // ids, names, places, times and sizes
};

constexpr bool announcesSecret(Family family) {
  return family != Family::none && family != Family::value && family != Family::harmless;
}

// The family of a name, whatever its case and separators; none if it has no known stem.
Family familyOf(std::string_view name);

// The family of a word of a sentence behind another word: "error code" is harmless, "recovery code"
// is a secret.
Family familyBehind(Family family, std::string_view previous);

// The kind that a value of this family is redacted as.
RedactionKind kindOf(Family family);

// Whether a call or a constructor of this name takes credentials: login, authenticate, bind,
// HTTPBasicAuth, Credentials, verifyPassword.
bool takesCredentials(std::string_view name);

}  // namespace auth_errors::domain
