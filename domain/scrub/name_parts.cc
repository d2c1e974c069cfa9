#include "domain/scrub/name_parts.h"

#include <optional>

#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

// Strips the accent of a Latin letter, so that contraseña and hasło match their stems.
std::optional<char> foldAccent(unsigned char first, unsigned char second) {
  if (first == 0xC3) {
    constexpr std::string_view kFolded =
        "aaaaaaaceeeeiiiidnooooo*ouuuuypsaaaaaaaceeeeiiiidnooooo/ouuuuypy";
    return second >= 0x80 && second <= 0xBF ? std::optional(kFolded[second - 0x80]) : std::nullopt;
  }
  if (first == 0xC5) {
    switch (second) {
      case 0x81:
      case 0x82:
        return 'l';
      case 0x9E:
      case 0x9F:
      case 0x9A:
      case 0x9B:
      case 0xA0:
      case 0xA1:
        return 's';
      case 0xBC:
      case 0xBA:
      case 0xBE:
        return 'z';
      default:
        return std::nullopt;
    }
  }
  if (first == 0xC4) {
    switch (second) {
      case 0xB1:
      case 0xB0:
        return 'i';
      case 0x9F:
      case 0x9E:
        return 'g';
      case 0x85:
        return 'a';
      case 0x99:
        return 'e';
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

bool NameParts::split(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) {
    return false;
  }
  bool inPart = false;
  char previous = '\0';
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const auto folded = i + 1 < name.size() ? foldAccent(static_cast<unsigned char>(c),
                                                           static_cast<unsigned char>(name[i + 1]))
                                              : std::nullopt;
      if (!folded) {
        return false;
      }
      c = *folded;
      ++i;
    }
    if (!isAlnum(c)) {
      inPart = false;
      previous = c;
      continue;
    }
    const char next = i + 1 < name.size() ? name[i + 1] : '\0';
    const bool hump =
        isOf(c, kUpperChar) && (isOf(previous, kLowerChar | kDigitChar) ||
                                (isOf(previous, kUpperChar) && isOf(next, kLowerChar)));
    if (!inPart || hump) {
      if (!open()) {
        return false;
      }
      inPart = true;
    }
    append(toLower(c));
    previous = c;
  }
  return count_ > 0;
}

}  // namespace auth_errors::domain
