// A line cut into tokens, and what has been read of it so far: the last word that announced a
// secret and the brackets that are open. Belongs to the function that reads the line; the rules
// that judge its values only look at it.
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

// How far a label reaches, in bytes.
inline constexpr std::size_t kReachBytes = 96;
// A token shorter than this is never redacted for its looks alone.
inline constexpr std::size_t kShortestOpaque = 16;

// A value and what is known about its place.
struct Site {
  std::size_t begin;
  std::size_t end;
  bool quoted;
};

// A bracket that is open.
struct Bracket {
  char open = '\0';
  std::size_t nameToken = kNoToken;  // the name before it
  Family label = Family::none;       // of the key that it is the value of, or of the name before it
  bool credentials = false;          // a call or constructor that takes credentials
  std::size_t index = 0;             // of the element that is read
  Family first = Family::none;       // of the first element's first word
  std::size_t firstWords = 0;        // how many words the first element has
  bool keyed = false;                // the name is the value of the label: haslo -> ArraySeq(x)
  bool firstTakes = false;           // the first word names a call that takes credentials
  bool otherKey = false;             // the value of a key that announces nothing
  std::size_t begin = 0;
};

// What was submitted beside the text about its actor. Has a marker of its own.
using Identifiers = std::array<std::string_view, 3>;

struct Line {
  std::string_view text;  // the whole text
  const std::vector<Token>& tokens;
  const ScrubPatterns* patterns;  // may be null
  std::vector<Bracket>& brackets;
  Family context;                                  // the last word that announced a secret
  std::size_t contextAt = std::string_view::npos;  // where it ends; npos: on a line before
  std::size_t contextToken = kNoToken;             // which it is; kNoToken: on a line before
  std::size_t closing = kNoToken;                  // the quote that ends the text that is read
  // Where the first and the last word begin that are a word of a language or announce something.
  std::size_t firstWord = std::string_view::npos;
  std::size_t lastWord = 0;
  mutable std::optional<bool> aboutCodes = std::nullopt;  // empty: not looked at yet
  mutable std::optional<bool> nearCodes = std::nullopt;   // the same
  std::vector<std::uint32_t>& wordHashes;  // by token, as far as they were needed; 0: not yet
  std::string_view whole;                  // the line itself
  const Identifiers& identifiers;
  mutable std::optional<RawFrame> frame = std::nullopt;  // empty: not looked at yet; no names: none

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

  // The first token behind the value that begins with token `i`.
  [[nodiscard]] std::size_t tokenBehind(std::size_t i, const Site& site) const {
    std::size_t k = i + 1;
    while (k < tokens.size() && tokens[k].begin < site.end) {
      ++k;
    }
    return k;
  }

  // Whether the value at token `i` is the last one before a closing bracket.
  [[nodiscard]] bool closesAfter(std::size_t i, const Site& site) const {
    const std::size_t k = tokenBehind(i, site) + (site.quoted ? 1 : 0);
    return k >= tokens.size() || tokens[k].kind == TokenKind::close;
  }

  // Whether any word beside the value tells what it may be.
  [[nodiscard]] bool hasWordsBeside(const Site& site) const {
    return firstWord < site.begin || (firstWord != std::string_view::npos && lastWord >= site.end);
  }

  [[nodiscard]] bool contextIsCarried() const { return contextAt == std::string_view::npos; }

  // The value is a part of a frame other than a quoted argument: names, which tell clusters apart.
  [[nodiscard]] bool isNameOfFrame(const Site& site) const;

  // The line speaks of one-time codes.
  [[nodiscard]] bool speaksOfCodes() const;

  // So does the line, or what stands before it.
  [[nodiscard]] bool isNearCodes() const;

  [[nodiscard]] bool isAllowed(std::string_view value) const {
    return patterns != nullptr && patterns->allows(value);
  }
};

}  // namespace auth_errors::domain
