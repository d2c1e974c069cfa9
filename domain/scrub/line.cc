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
