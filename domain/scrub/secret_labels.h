// The names under which secrets travel: `password`, `X-Api-Key`, `client_secret`, …
// Immutable tables and pure functions: any thread. Names match whatever their case and separators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// How much a value must look like a secret before its label alone condemns it.
enum class LabelPolicy : std::uint8_t {
  chosen,        // a person chose it: any word may be it, unless prose says otherwise
  generated,     // a program made it: any value behind '=', but in prose only one with digits
  alwaysRandom,  // the name is also used for harmless things: digits are required everywhere
  digits,        // one-time codes and PINs
  query,         // only inside a URL's query
  rejected,      // a validator's: the value of a secret field that was named before
  header,        // Authorization: a scheme and its credentials
  cookie,        // Cookie: a list of pairs
};

struct Label {
  std::string_view name;  // lower case, without separators
  RedactionKind kind;
  LabelPolicy policy;
  bool wholeWord;  // `pin` must not match in `spin`, while `password` does in `dbpassword`
};

// Where the name of a label ends: forms that ask twice number it, as in "password2".
inline std::size_t withoutSuffixDigits(std::string_view text, Spot word) {
  constexpr std::size_t kMaxSuffixDigits = 3;
  std::size_t end = word.end;
  while (end > word.begin && word.end - end < kMaxSuffixDigits && isDigit(text[end - 1])) {
    --end;
  }
  return end;
}

// What may stand between the letters of a label, like one blank.
constexpr bool joinsName(char c) { return c == '_' || c == '-' || c == '.'; }

// Indexed by the last two letters of a label: a bit for each letter before them, bit 0 for none.
inline constexpr std::size_t kEndingCount = 1024;
extern const std::array<std::uint32_t, kEndingCount> kThirdLastLetters;

// Five bits tell letters apart, ignoring case; other characters share them.
constexpr unsigned letterBits(char c) { return static_cast<unsigned char>(c) & 0x1FU; }
constexpr unsigned endingBits(char secondLast, char last) {
  return letterBits(secondLast) << 5U | letterBits(last);
}

// False if no label ends with the word, as for most words of a trace; true if one may.
inline bool mayEndLabel(std::string_view text, Spot word) {
  const std::size_t end = withoutSuffixDigits(text, word);
  if (end < word.begin + 2) {
    return false;
  }
  const std::uint32_t letters = kThirdLastLetters[endingBits(text[end - 2], text[end - 1])];
  if (letters == 0) {
    return false;
  }
  const char thirdLast = end > 2 ? text[end - 3] : '\0';
  return (letters & 1U) != 0 || joinsName(thirdLast) || thirdLast == ' ' ||
         (isAlnum(thirdLast) && (letters >> letterBits(thirdLast) & 1U) != 0);
}

// The label that the run of letters and digits ends with, reading back over '_', '-', '.' and one
// blank. nullptr if it is none.
const Label* labelEndingAt(const Scan& scan, Spot word);

// Where the label's own text begins, for instance at the 'd' of `db.password`.
std::size_t labelBegin(const Scan& scan, Spot word);

// The label of a chosen secret or a code shortly before `at`: validators and loggers name the field
// first and quote its value behind a message. nullptr if there is none.
const Label* labelNearBefore(const Scan& scan, std::size_t at);

}  // namespace auth_errors::domain
