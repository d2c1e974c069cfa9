#include "domain/scrub/sanitiser.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

char32_t decode(std::string_view text, std::size_t at, std::size_t length) {
  constexpr std::array<unsigned, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t codePoint = static_cast<unsigned char>(text[at]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) {
    codePoint = (codePoint << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return codePoint;
}

// NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR break lines for readers and log parsers, so they
// become newlines; the end of a frame must have one spelling.
bool isNewline(char32_t c) { return c == U'\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

// C0, DEL and C1; the bidirectional controls, which can make a text display differently from its
// content; and zero-width characters, which can hide a word from the scrubber. The joiners U+200C
// and U+200D stay: scripts and emoji need them.
bool isRemoved(char32_t c) {
  if (c < 0x20) {
    return c != U'\n' && c != U'\t';
  }
  return (c >= 0x7F && c <= 0x9F) || c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

bool isWhiteSpace(char32_t c) {
  return c == U' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool isPlain(char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; }

// Checks whole blocks, since most texts are entirely plain.
bool isAllPlain(std::string_view text) {
  constexpr std::size_t kBlock = 64;
  while (text.size() >= kBlock) {
    bool plain = true;
    for (std::size_t i = 0; i < kBlock; ++i) {
      plain &= isPlain(text[i]);
    }
    if (!plain) {
      return false;
    }
    text.remove_prefix(kBlock);
  }
  return std::ranges::all_of(text, isPlain);
}

// Stops once the result has `limit` bytes, and may exceed them slightly.
std::string withPlainCharacters(std::string_view text, std::size_t limit) {
  std::string result;
  result.reserve(std::min(text.size(), limit));
  std::size_t at = 0;
  while (at < text.size() && result.size() < limit) {
    const std::size_t last = at + std::min(text.size() - at, limit - result.size());
    std::size_t end = at;
    while (end < last && isPlain(text[end])) {
      ++end;
    }
    result.append(text, at, end - at);
    at = end;
    if (at == last) {
      continue;
    }
    const std::size_t length = utf8SequenceLength(text, at);
    if (length == 0) {
      // The decoder rejects such texts; this keeps them out of the database if one arrives by
      // another path.
      result.append(kReplacement);
      ++at;
      continue;
    }
    const char32_t c = decode(text, at, length);
    if (isNewline(c)) {
      result.push_back('\n');
      const bool pair = c == U'\r' && at + 1 < text.size() && text[at + 1] == '\n';
      at += pair ? 2 : length;
      continue;
    }
    if (!isRemoved(c)) {
      result.append(text, at, length);
    }
    at += length;
  }
  return result;
}

std::string_view withoutLeadingBlanks(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8SequenceLength(text, 0);
    if (length == 0 || !isWhiteSpace(decode(text, 0, length))) {
      break;
    }
    text.remove_prefix(length);
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  text = withoutLeadingBlanks(text);
  while (!text.empty()) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && isContinuationByte(text[begin])) {
      --begin;
    }
    const std::size_t length = utf8SequenceLength(text, begin);
    if (length != text.size() - begin || !isWhiteSpace(decode(text, begin, length))) {
      break;
    }
    text.remove_suffix(length);
  }
  return text;
}

std::string_view truncated(std::string_view text, std::size_t maxCodePoints) {
  const std::size_t size = firstCodePoints(text, maxCodePoints).size();
  return text.substr(0, size == text.size() ? size : cutBeforeMarker(text, size));
}

struct TidiedFront {
  std::string text;
  bool whole;
};

// The tidied front of the text, barely longer than `limit` bytes.
TidiedFront tidyFront(std::string_view text, std::size_t limit) {
  text = withoutLeadingBlanks(text);
  const std::string_view front = text.substr(0, limit);
  if (isAllPlain(front)) {
    const bool whole = front.size() == text.size();
    return {.text = std::string(whole ? trimmed(front) : front), .whole = whole};
  }
  const std::string plain = withPlainCharacters(text, limit);
  const bool whole = plain.size() < limit;
  return {.text = std::string(whole ? trimmed(plain) : plain), .whole = whole};
}

std::size_t codePointEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && at > 0 && isContinuationByte(text[at])) {
    --at;
  }
  return at;
}

// The kept text, cut to its limit, without blanks at the cut.
std::string_view fitted(std::string_view text, std::size_t maxCodePoints) {
  return trimmed(truncated(trimmed(text), maxCodePoints));
}

}  // namespace

std::string tidy(std::string_view text) { return tidyFront(text, std::string_view::npos).text; }

SanitisedText sanitise(std::string_view text, std::size_t maxCodePoints,
                       const ScrubContext& context) {
  // The remainder at a cut may look different to the scrubber ("password: m" instead of "password:
  // must …"), so a cut or trimmed text is scrubbed again until nothing changes.
  constexpr int kMaxRounds = 6;
  const std::size_t front = std::max(kReadPerCodePoint * maxCodePoints, kReadAtLeast);
  SanitisedText result;
  TidiedFront tidied = tidyFront(text, front + kReadAhead);
  std::string current = std::move(tidied.text);
  if (!tidied.whole) {
    ScrubResult scrubbed = scrubFront(current, codePointEnd(current, front), context);
    result.counts = scrubbed.counts;
    result.truncated = true;
    current = std::string(fitted(scrubbed.text, maxCodePoints));
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    ScrubResult scrubbed = scrub(current, context);
    result.counts.add(scrubbed.counts);
    const std::string_view kept = fitted(scrubbed.text, maxCodePoints);
    result.truncated = result.truncated || kept.size() < trimmed(scrubbed.text).size();
    if (kept.empty()) {
      return result;
    }
    if (kept.size() == scrubbed.text.size()) {
      result.text = std::move(scrubbed.text);
      return result;
    }
    current = std::string(kept);
  }
  result.counts.add(RedactionKind::wholeText);
  constexpr std::string_view kMarker = markerOf(RedactionKind::wholeText);
  if (kMarker.size() <= maxCodePoints) {
    result.text = kMarker;
  }
  return result;
}

}  // namespace auth_errors::domain
