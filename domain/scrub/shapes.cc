#include "domain/scrub/shapes.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "domain/scrub/parts.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

// For each letter the letters that often follow it in words and identifiers: nine in ten pairs of a
// word are here, and three in ten of letters at random.
constexpr std::array<std::uint32_t, 26> kCommonPairs = {
    0x11EB94E,  // a
    0x0124911,  // b
    0x01A4D91,  // c
    0x0164119,  // d
    0x1EEB97D,  // e
    0x0124931,  // f
    0x0062190,  // g
    0x0084111,  // h
    0x22EF87F,  // i
    0x0000000,  // j
    0x0000010,  // k
    0x11C4919,  // l
    0x014C111,  // m
    0x01C617D,  // n
    0x07EF84E,  // o
    0x10EC991,  // p
    0x0100000,  // q
    0x11EF95D,  // r
    0x01CC995,  // s
    0x11E4995,  // t
    0x00EB917,  // u
    0x0000111,  // v
    0x0000111,  // w
    0x0080000,  // x
    0x0008000,  // y
    0x0000010,  // z
};

struct Looks {
  std::size_t digits = 0;
  std::size_t upper = 0;
  std::size_t lower = 0;
  std::size_t hex = 0;
  std::size_t others = 0;
  std::size_t pairs = 0;
  std::size_t commonPairs = 0;
  std::size_t changes = 0;  // between letters and digits, and from lower to upper case
  std::size_t longestWord = 0;
};

Looks looksOf(std::string_view token) {
  Looks looks;
  char previous = '\0';
  std::size_t word = 0;
  for (const char c : token.substr(0, kShapeFront)) {
    if (isDigit(c)) {
      ++looks.digits;
      looks.changes += isLetter(previous) ? 1U : 0U;
    } else if (isLetter(c)) {
      const bool upper = isOf(c, kUpperChar);
      ++(upper ? looks.upper : looks.lower);
      looks.changes += isDigit(previous) || (upper && isOf(previous, kLowerChar)) ? 1U : 0U;
      if (isLetter(previous)) {
        const bool common = followsInWords(previous, c);
        ++looks.pairs;
        looks.commonPairs += common ? 1U : 0U;
        word = common ? word + 1 : 0;
        looks.longestWord = std::max(looks.longestWord, word + 1);
      }
    } else {
      ++looks.others;
    }
    looks.hex += isOf(c, kHexChar) ? 1U : 0U;
    if (!isLetter(c)) {
      word = 0;
    }
    previous = c;
  }
  return looks;
}

constexpr Separators kWordJoints(" -_./:#'");
constexpr Separators kTokenJoints("-_.~+/=:!@#$%^&*,;|?");

// One run of letters and digits.
bool isGeneratedRun(std::string_view run, std::size_t minLength) {
  if (run.size() < minLength) {
    return false;
  }
  const Looks looks = looksOf(run);
  const std::size_t letters = looks.upper + looks.lower;
  if (letters == 0) {
    return false;
  }
  const bool oneCase = looks.upper == 0 || looks.lower == 0;
  if (looks.hex == std::min(run.size(), kShapeFront) && looks.digits >= 2 && oneCase) {
    return true;
  }
  const double common =
      looks.pairs == 0 ? 0
                       : static_cast<double>(looks.commonPairs) / static_cast<double>(looks.pairs);
  // OAuth2LoginFilter and Base64Utils have one digit among words; a made-up token changes again and
  // again, and its letters follow each other as they please.
  if (looks.digits >= 2) {
    return looks.changes * 6 >= std::min(run.size(), kShapeFront) &&
           (common < 0.62 || looks.longestWord < 5);
  }
  if (looks.digits == 1 && run.size() < 24) {
    return looks.longestWord < 6 && ((looks.changes * 4 >= run.size() && common < 0.6) ||
                                     (looks.pairs >= 8 && common < 0.45));
  }
  constexpr std::size_t kLongRun = 24;
  return !oneCase && looks.pairs >= 8 && common < 0.55 &&
         (run.size() >= kLongRun || looks.changes * 6 >= run.size());
}

// Letters alone, six in ten pairs of which are common.
bool isWord(std::string_view part) {
  if (part.size() < 3 || !isLetter(part.front())) {
    return false;
  }
  std::size_t commonPairs = 0;
  for (std::size_t i = 1; i < part.size(); ++i) {
    if (!isLetter(part[i])) {
      return false;
    }
    commonPairs += i < kShapeFront && followsInWords(part[i - 1], part[i]) ? 1U : 0U;
  }
  return commonPairs * 10 >= (std::min(part.size(), kShapeFront) - 1) * 6;
}

}  // namespace

bool followsInWords(char first, char second) {
  const auto row = static_cast<std::size_t>(toLower(first) - 'a');
  return (kCommonPairs[row] >> static_cast<unsigned>(toLower(second) - 'a') & 1U) != 0;
}

bool isUuid(std::string_view token) {
  constexpr std::size_t kLength = 36;
  if (token.size() != kLength) {
    return false;
  }
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? token[i] != '-' : !isOf(token[i], kHexChar)) {
      return false;
    }
  }
  return true;
}

bool looksLikeWords(std::string_view token) {
  bool words = true;
  std::size_t count = 0;
  eachPart(token, kWordJoints, [&](std::string_view part) {
    ++count;
    words = words && (part.size() < 3 || isWord(part));
  });
  return words && count > 0;
}

bool looksGenerated(std::string_view token, std::size_t minLength) {
  if (token.size() < minLength) {
    return false;
  }
  if (isUuid(token)) {
    return true;
  }
  bool generated = false;
  std::size_t words = 0;
  std::size_t parts = 0;
  std::size_t alnum = 0;
  std::size_t digits = 0;
  std::size_t mixed = 0;
  eachPart(token.substr(0, kShapeFront), kTokenJoints, [&](std::string_view part) {
    ++parts;
    alnum += part.size();
    const auto partDigits = static_cast<std::size_t>(std::ranges::count_if(part, isDigit));
    digits += partDigits;
    mixed += partDigits > 0 && partDigits < part.size() ? 1U : 0U;
    generated = generated || isGeneratedRun(part, minLength);
    words += part.size() >= 4 && isWord(part) ? 1U : 0U;
  });
  // .AspNetCore.Antiforgery.9TtSrW0hzOs: a name with something made up in it.
  constexpr std::size_t kLongRun = 16;
  if (words >= 2 && minLength < kLongRun && token.contains('.')) {
    return looksGenerated(token, kLongRun);
  }
  if (generated || parts < 2) {
    return generated;
  }
  // Pieces none of which is a word: u9Lr-7Xw1TqZk0YbVn3mE_c5sPaHdGfJ.
  return words == 0 && token.size() >= minLength && alnum + 4 >= minLength && digits >= 2 &&
         (mixed >= 2 || parts == 2 || mixed * 2 >= parts);
}

bool isEncodedText(std::string_view token) {
  constexpr std::size_t kShortest = 12;
  if (token.size() < kShortest || token.size() % 4 != 0) {
    return false;
  }
  const std::string_view digits = token.substr(0, token.find('='));
  return std::ranges::all_of(digits, isAlnum) &&
         eachBase64Byte(digits, [](unsigned byte) { return byte >= 0x20 && byte < 0x7F; });
}

bool looksLikeCode(std::string_view token) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 8;
  if (token.size() >= kShortest && token.size() <= kLongest && allOf(token, kDigitChar)) {
    return true;
  }
  // 123 456, 123-456, WDJB-MJHT, 7KXQ2-M9VTP
  const std::size_t joint = token.find_first_of("- ");
  if (joint == std::string_view::npos || joint < 3 || token.size() - joint - 1 != joint ||
      joint > 6) {
    return false;
  }
  const bool digits = std::ranges::any_of(token.substr(0, joint), isDigit) &&
                      std::ranges::any_of(token.substr(joint + 1), isDigit);
  const unsigned classes = kDigitChar | kUpperChar | (digits ? kLowerChar : 0U);
  const auto isCodeChar = [&](char c) { return isOf(c, classes); };
  return std::ranges::all_of(token.substr(0, joint), isCodeChar) &&
         std::ranges::all_of(token.substr(joint + 1), isCodeChar);
}

bool isCased(std::string_view word) {
  const std::size_t capitals = runEnd(word, 0, kUpperChar);
  const std::size_t small = word.size() - capitals;
  return runEnd(word, capitals, kLowerChar) == word.size() &&
         (capitals <= 1 || small == 0 || small >= 3);
}

bool looksLikeIdentifier(std::string_view token) {
  std::size_t joints = 0;
  std::size_t words = 0;
  std::size_t digits = 0;
  std::size_t begin = 0;
  // False if the part makes it none.
  const auto close = [&](std::size_t end) {
    const std::string_view part = token.substr(begin, end - begin);
    if (part.size() < 3) {
      return true;
    }
    const bool word = isWord(part);
    words += word ? 1U : 0U;
    return part.size() < 4 || (word && isCased(part));
  };
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = token[i];
    if (isLetter(c)) {
      if (i > begin && isOf(c, kUpperChar) && isOf(token[i - 1], kLowerChar)) {
        if (!close(i)) {
          return false;
        }
        begin = i;
        ++joints;
      }
      continue;
    }
    if (c != '_' && c != '.' && c != '$' && c != ':' && c != '/' && !isDigit(c)) {
      return false;
    }
    if (!close(i)) {
      return false;
    }
    begin = i + 1;
    joints += isDigit(c) ? 0U : 1U;
    digits += isDigit(c) ? 1U : 0U;
  }
  return close(token.size()) && words >= 2 && joints > 0 && digits <= 2;
}

bool looksChosen(std::string_view token) {
  constexpr std::size_t kShortest = 5;
  if (token.size() < kShortest) {
    return false;
  }
  bool letters = false;
  bool digits = false;
  bool signs = false;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = token[i];
    letters = letters || isLetter(c) || static_cast<unsigned char>(c) >= 0x80;
    digits = digits || isDigit(c);
    constexpr std::string_view kSigns = "!#$%^&*?+~@";
    signs = signs || (kSigns.contains(c) && i > 0);
  }
  return letters && (digits || signs);
}

}  // namespace auth_errors::domain
