// Cuts a line into words, quotes, brackets and signs. A pure function: any thread, linear.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/scrub/families.h"

namespace auth_errors::domain {

enum class TokenKind : std::uint8_t { word, quote, open, close, sign, marker };

struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  TokenKind kind;
  char sign;     // of quotes, brackets and signs: the character; '=' also for =>, ':' for -> and ：
  bool spaced;   // blanks before it
  bool stops;    // a word that ends a sentence
  bool letters;  // a word of letters alone
  Family family;  // of a word
};

// Whether the line is a stack frame with nothing but names and places in it.
bool isPlainFrame(std::string_view line);

// The tokens of text[begin, end), which is a line; their positions are the text's.
void readTokens(std::string_view text, std::size_t begin, std::size_t end,
                std::vector<Token>& tokens);

}  // namespace auth_errors::domain
