// A tokenised line and the state of reading it: the last word that announced a secret and the open
// brackets. Owned by the function that reads the line; the rules for its values have read-only
// access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/scrub/families.h"
#include "domain/scrub/lexer.h"
#include "domain/scrub/patterns.h"
#include "domain/stack/frames.h"

namespace auth_errors::domain {

inline constexpr std::size_t kNoToken = std::string_view::npos;

// Maximum distance between a label and its value, in bytes.
inline constexpr std::size_t kReachBytes = 96;
// Shorter tokens are never redacted for their appearance alone.
inline constexpr std::size_t kShortestOpaque = 16;

// A value and the properties of its position.
struct Site {
  std::size_t begin;
  std::size_t end;
  bool quoted;
};

// An open bracket.
struct Bracket {
  char open = '\0';
  std::size_t nameToken = kNoToken;  // the name before the bracket
  Family label = Family::none;       // of its key, or of the name before it
  bool credentials = false;          // a call or constructor that takes credentials
  std::size_t index = 0;             // of the current element
  Family first = Family::none;       // of the first word in the first element
  std::size_t firstWords = 0;        // number of words in the first element
  bool keyed = false;                // the name is the value of the label: haslo -> ArraySeq(x)
  bool firstTakes = false;           // the first word is the name of a call that takes credentials
};

// The identifiers submitted with the text, which have a marker of their own.
using Identifiers = std::array<std::string_view, 3>;

struct Line {
  std::string_view text;  // the whole text
  const std::vector<Token>& tokens;
  const ScrubPatterns* patterns;  // may be null
  std::vector<Bracket>& brackets;
  Family context;                                  // the last word that announced a secret
  std::size_t contextAt = std::string_view::npos;  // its end; npos: on an earlier line
  std::size_t contextToken = kNoToken;             // its token; kNoToken: on an earlier line
  std::size_t closing = kNoToken;                  // the quote that ends the current quoted text
  // Begin of the first and of the last word that is a common word or announces something.
  std::size_t firstWord = std::string_view::npos;
  std::size_t lastWord = 0;
  mutable std::optional<bool> aboutCodes = std::nullopt;  // empty: not computed yet
  std::vector<std::uint32_t>& wordHashes;  // by token, computed on demand; 0: not computed
  std::string_view whole;                  // the full line
  const Identifiers& identifiers;
  mutable std::optional<RawFrame> frame = std::nullopt;  // empty: not computed yet; no names: none

  [[nodiscard]] std::string_view textOf(const Token& token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
  [[nodiscard]] std::string_view textOf(const Site& site) const {
    return text.substr(site.begin, site.end - site.begin);
  }
  [[nodiscard]] const Token* before(std::size_t i, std::size_t distance = 1) const {
    return i >= distance ? &tokens[i - distance] : nullptr;
  }
  [[nodiscard]] const Token* behind(std::size_t i, std::size_t distance = 1) const {
    return i + distance < tokens.size() ? &tokens[i + distance] : nullptr;
  }
  [[nodiscard]] std::size_t end() const { return tokens.empty() ? 0 : tokens.back().end; }

  // The first token after the value that begins with token `i`.
  [[nodiscard]] std::size_t tokenBehind(std::size_t i, const Site& site) const {
    std::size_t k = i + 1;
    while (k < tokens.size() && tokens[k].begin < site.end) {
      ++k;
    }
    return k;
  }

  // True if the value at token `i` is the last one before a closing bracket.
  [[nodiscard]] bool closesAfter(std::size_t i, const Site& site) const {
    const std::size_t k = tokenBehind(i, site) + (site.quoted ? 1 : 0);
    return k >= tokens.size() || tokens[k].kind == TokenKind::close;
  }

  // True if a word next to the value may describe it.
  [[nodiscard]] bool hasWordsBeside(const Site& site) const {
    return firstWord < site.begin || (firstWord != std::string_view::npos && lastWord >= site.end);
  }

  [[nodiscard]] bool contextIsCarried() const { return contextAt == std::string_view::npos; }

  // True if the value is part of a stack frame, but not a quoted argument. Frames consist of names,
  // which distinguish clusters.
  [[nodiscard]] bool isNameOfFrame(const Site& site) const;

  // True if the line mentions one-time codes.
  [[nodiscard]] bool speaksOfCodes() const;

  [[nodiscard]] bool isAllowed(std::string_view value) const {
    return patterns != nullptr && patterns->allows(value);
  }
};

}  // namespace auth_errors::domain
