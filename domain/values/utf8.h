// UTF-8 according to RFC 3629: validation, counting and truncation by code points. Pure functions
// on views: any thread, no allocation. Never splits a code point.
#pragma once

#include <cstddef>
#include <string_view>

namespace auth_errors::domain {

// Length of the well-formed sequence at `at`, or 0. Overlong forms, surrogates and anything above
// U+10FFFF are ill-formed; NUL is well-formed (the sanitiser removes control characters).
std::size_t utf8SequenceLength(std::string_view text, std::size_t at);

// Whether the byte continues a code point.
constexpr bool isContinuationByte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool isValidUtf8(std::string_view text);

// Code points of a valid text; for an invalid one, the number of bytes that are not continuation
// bytes.
std::size_t countCodePoints(std::string_view text);

// Whether the text has more code points than `limit`: a short one is not read for it.
inline bool hasMoreCodePoints(std::string_view text, std::size_t limit) {
  return text.size() > limit && countCodePoints(text) > limit;
}

// The longest prefix of at most `maxCodePoints` code points.
std::string_view firstCodePoints(std::string_view text, std::size_t maxCodePoints);

}  // namespace auth_errors::domain
