// Splits a line into words, quotes, brackets and signs. Pure functions: any thread, linear.
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
  char sign;      // quotes, brackets and signs: the character; '=' also for =>, ':' for -> and ：
  bool spaced;    // preceded by a blank
  bool stops;     // a word that ends a sentence
  bool letters;   // a word of letters only
  Family family;  // words only
};

// True if the line is a stack frame of names and source locations only.
bool isPlainFrame(std::string_view line);

// Reads the tokens of the line text[begin, end). Positions are offsets into `text`.
void readTokens(std::string_view text, std::size_t begin, std::size_t end,
                std::vector<Token>& tokens);

}  // namespace auth_errors::domain
