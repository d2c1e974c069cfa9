#include "domain/scrub_line.h"

#include <algorithm>
#include <array>

#include "domain/scrub_text.h"

namespace auth_errors::domain {

bool Line::speaksOfCodes() const {
  constexpr auto kHints = std::to_array<std::string_view>(
      {"verific", "verify", "sms", "mfa", "2fa", "otp", "totp", "factor", "two-f", "twofactor"});
  if (!aboutCodes) {
    aboutCodes = std::ranges::any_of(tokens, [&](const Token& token) {
      return token.kind == TokenKind::word &&
             std::ranges::any_of(kHints, [&](std::string_view hint) {
               return startsWithWord(textOf(token), 0, hint);
             });
    });
  }
  return *aboutCodes;
}

}  // namespace auth_errors::domain
