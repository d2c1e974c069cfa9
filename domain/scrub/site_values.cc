#include "domain/scrub/site_values.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

bool isPath(std::string_view value) {
  return value.front() == '/' && value.find_first_of("!@#$%^&*") == std::string_view::npos;
}

}  // namespace

bool isFullCode(std::string_view value) {
  return value.size() >= kFullCode && looksLikeCode(value);
}

bool isProse(std::string_view value) { return isProseWord(value.substr(0, value.find(' '))); }

bool acceptsGenerated(std::string_view value, std::size_t shortest) {
  return value.size() >= shortest && !value.contains(' ') && looksGenerated(value, shortest) &&
         !isHarmlessShape(value);
}

bool isLongOpaque(std::string_view value, std::size_t shortest) {
  return value.size() >= shortest && !looksLikeWords(value) && !isHarmlessShape(value) &&
         !value.contains(' ') && !value.contains("//") && value.front() != '/' &&
         std::ranges::all_of(value, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool looksMixed(std::string_view value) {
  const auto any = [&](unsigned classes) {
    return std::ranges::any_of(value, [&](char c) { return isOf(c, classes); });
  };
  return any(kUpperChar) && any(kLowerChar) && any(kDigitChar) && !isHarmlessShape(value) &&
         !value.contains('/');
}

bool isLeet(std::string_view value) {
  constexpr std::size_t kFewestLetters = 5;
  std::size_t swapped = 0;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    swapped += isDigit(value[i]) && isLetter(value[i - 1]) && isLetter(value[i + 1]) ? 1U : 0U;
  }
  return swapped >= 2 && allOf(value, kAlnumChar) && !looksGenerated(value, 8) &&
         static_cast<std::size_t>(std::ranges::count_if(value, isLetter)) >= kFewestLetters;
}

bool looksLikePassword(std::string_view value) {
  if (std::ranges::none_of(value, isDigit)) {
    return false;
  }
  // Passw0rd
  const bool inside = std::ranges::any_of(
      value.substr(0, value.size() - std::min<std::size_t>(value.size(), 2)), isDigit);
  if (inside && (startsWithWord(value, 0, "passw") || startsWithWord(value, 0, "p@ss"))) {
    return true;
  }
  if (isLeet(value)) {
    return true;
  }
  const std::size_t sign = value.find_first_of("!#^&*@%+~?");
  return sign != std::string_view::npos && sign > 0 && looksChosen(value) && !value.contains('/') &&
         !value.contains("@@");
}

bool acceptsKeyed(Family family, std::string_view value, bool quoted, Sign sign) {
  switch (family) {
    case Family::secret:
    case Family::password:
      if (value.starts_with("0x") || value.starts_with('@') || value.starts_with('$') ||
          value.starts_with(':') || value.starts_with('<') || isPath(value)) {
        return false;
      }
      return quoted ? !isProse(value) || looksChosen(value)
                    : looksChosen(value) || (sign == Sign::assigned && !isProseWord(value));
    case Family::session:
      if (value.front() == '_' && looksGenerated(value.substr(1), 12)) {
        return true;
      }
      [[fallthrough]];
    case Family::token:
      return acceptsGenerated(value, 6) || isLongOpaque(value, quoted ? 8 : 16);
    case Family::key:
      return !isUuid(value) &&
             (acceptsGenerated(value, 8) || isLongOpaque(value, quoted ? 12 : 20));
    case Family::code:
      return looksLikeCode(value) || acceptsGenerated(value, 6) || isLongOpaque(value, 20) ||
             (quoted && value.size() >= 4 && value.size() <= 12 &&
              std::ranges::any_of(value, isDigit));
    case Family::plainCode:
      return acceptsGenerated(value, 8) && std::ranges::any_of(value, isDigit) && !isUuid(value);
    case Family::none:
    case Family::value:
    case Family::harmless:
      break;
  }
  return false;
}

bool acceptsInContext(Family family, std::string_view value, bool quoted) {
  switch (family) {
    case Family::secret:
    case Family::password:
      return (quoted && !isProse(value)) || looksChosen(value);
    case Family::code:
      return looksLikeCode(value) ||
             (quoted && value.size() <= 12 && std::ranges::any_of(value, isDigit));
    case Family::plainCode:
      return isFullCode(value);
    case Family::token:
    case Family::key:
    case Family::session:
      return acceptsGenerated(value, 6);
    case Family::none:
    case Family::value:
    case Family::harmless:
      break;
  }
  return false;
}

}  // namespace auth_errors::domain
