// What a token looks like: random, a code, a word, an identifier. Immutable tables and pure
// functions: any thread; linear in the token, and only its front is read where that is enough.
#pragma once

#include <cstddef>
#include <string_view>

namespace auth_errors::domain {

// Tokens are judged by their front: what is longer is no name.
inline constexpr std::size_t kShapeFront = 128;

// Whether the second letter often follows the first one in words.
bool followsInWords(char first, char second);

// 8-4-4-4-12 hexadecimal digits.
bool isUuid(std::string_view token);

// Digits among letters, or cases mixed as no name has them: what a program makes up and a person or
// a language does not. Judged by how often the letters follow each other in words.
bool looksGenerated(std::string_view token, std::size_t minLength);

// A word of a sentence or of an identifier, as opposed to letters at random.
bool looksLikeWords(std::string_view token);

// Base64 of printable characters.
bool isEncodedText(std::string_view token);

// 4 to 8 digits, also in two groups; or a code such as WDJB-MJHT.
bool looksLikeCode(std::string_view token);

// name, NAME, Name, OAuth: capitals come first and are few, or there is nothing else.
bool isCased(std::string_view word);

// refreshKrb5Config, u1_0.username: words joined as languages join them.
bool looksLikeIdentifier(std::string_view token);

// Letters with a digit or a sign among them: what people make of a word when it must be a password.
bool looksChosen(std::string_view token);

}  // namespace auth_errors::domain
