// The names of secrets: `password`, `X-Api-Key`, `client_secret`, …
// Immutable tables and pure functions: any thread. Names match regardless of case and separators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// Evidence that a value must provide in addition to its label to count as a secret.
enum class LabelPolicy : std::uint8_t {
  chosen,        // chosen by a person: any word, unless it reads as prose
  generated,     // generated: any value after '=', but in prose only one with digits
  alwaysRandom,  // the name also has harmless uses: digits are always required
  digits,        // one-time codes and PINs
  query,         // only in a URL's query
  rejected,      // from a validator: the value of a secret field named before it
  header,        // Authorization: a scheme and its credentials
  cookie,        // Cookie: a list of pairs
};

struct Label {
  std::string_view name;  // lower case, without separators
  RedactionKind kind;
  LabelPolicy policy;
  bool wholeWord;  // `pin` must not match in `spin`, while `password` does in `dbpassword`
};

// The end of the label's name without a trailing number, as forms that ask twice append it:
// "password2".
inline std::size_t withoutSuffixDigits(std::string_view text, Spot word) {
  constexpr std::size_t kMaxSuffixDigits = 2;
  std::size_t end = word.end;
  while (end > word.begin && word.end - end < kMaxSuffixDigits && isDigit(text[end - 1])) {
    --end;
  }
  return end;
}

// Characters that, like one blank, may join the letters of a label.
constexpr bool joinsName(char c) { return c == '_' || c == '-' || c == '.'; }

// Indexed by the last two letters of a label: a bit for each preceding letter, bit 0 for none.
inline constexpr std::size_t kEndingCount = 1024;
extern const std::array<std::uint32_t, kEndingCount> kThirdLastLetters;

// Five bits distinguish letters regardless of case; other characters collide with them.
constexpr unsigned letterBits(char c) { return static_cast<unsigned char>(c) & 0x1FU; }
constexpr unsigned endingBits(char secondLast, char last) {
  return letterBits(secondLast) << 5U | letterBits(last);
}

// False if no label ends with the word, which holds for most words of a trace.
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

// The label that ends with the run of letters and digits, read backwards across '_', '-', '.' and
// one blank. nullptr if there is none.
const Label* labelEndingAt(const Scan& scan, Spot word);

// Begin of the whole name that ends with the label, for instance the 'd' of `db.password`.
std::size_t labelBegin(const Scan& scan, Spot word);

// The label of a chosen secret or a code shortly before `at`: validators and loggers name the field
// first and quote its value after a message. nullptr if there is none.
const Label* labelNearBefore(const Scan& scan, std::size_t at);

}  // namespace auth_errors::domain
