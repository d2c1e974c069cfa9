#include "domain/scrub/line.h"

#include <algorithm>
#include <array>

#include "domain/scrub/text.h"

namespace auth_errors::domain {

bool Line::isNameOfFrame(const Site& site) const {
  if (!frame) {
    const std::size_t end = static_cast<std::size_t>(whole.data() - text.data()) + whole.size();
    const std::string_view behind = text.substr(std::min(end + 1, text.size()));
    const std::string_view line =
        whole.substr(std::min(whole.find_first_not_of(" \t"), whole.size()));
    frame = parseFrame(line, behind.substr(0, behind.find('\n'))).value_or(RawFrame{});
  }
  const auto contains = [&](std::string_view name) {
    const char* const begin = text.data() + site.begin;
    return begin >= name.data() && begin < name.data() + name.size();
  };
  const bool isFrame = !frame->function.empty() || !frame->file.empty();
  return isFrame && (!site.quoted || contains(frame->function) || contains(frame->file));
}

bool Line::isNearCodes() const {
  // How far before the line, and how much of the line itself.
  constexpr std::size_t kBefore = 256;
  constexpr std::size_t kMost = 2048;
  constexpr auto kHints = std::to_array<std::string_view>(
      {"verif", "vérif", "sms", "mfa", "2fa", "otp", "totp", "factor", "onetime", "one-time",
       "passcode", "phonecode", "recovery", "authenticator", "bestätigung", "einmal"});
  if (!nearCodes) {
    const auto at = static_cast<std::size_t>(whole.data() - text.data());
    const std::size_t begin = at - std::min(at, kBefore);
    const std::string_view near = text.substr(begin, at - begin + std::min(whole.size(), kMost));
    nearCodes = false;
    for (std::size_t k = 0; k < near.size() && !*nearCodes; ++k) {
      constexpr std::string_view kFirst = "vVsSmM2oOtTfFpPrRaAbBeE";
      // A word's beginning: also in smsCode and VerificationCheck.
      const bool begins = k == 0 || !isLetter(near[k - 1]) ||
                          (isOf(near[k], kUpperChar) && isOf(near[k - 1], kLowerChar));
      nearCodes =
          begins && kFirst.contains(near[k]) &&
          std::ranges::any_of(kHints, [&](std::string_view hint) {
            constexpr std::size_t kShort = 4;
            const std::size_t end = k + hint.size();
            return startsWithWord(near, k, hint) &&
                   (hint.size() > kShort || end >= near.size() || !isOf(near[end], kLowerChar) ||
                    near[end - 1] != toLower(near[end - 1]));
          });
    }
  }
  return *nearCodes;
}

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
