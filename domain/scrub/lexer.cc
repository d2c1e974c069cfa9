#include "domain/scrub/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/scrub/kinds.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

struct Sequence {
  std::string_view bytes;
  TokenKind kind;
  char sign;
};

// Signs of two ASCII characters.
constexpr auto kPairs = std::to_array<Sequence>({
    {"=>", TokenKind::sign, '='},
    {"->", TokenKind::sign, ':'},
    {":=", TokenKind::sign, '='},
    {"<-", TokenKind::sign, ':'},
    {"<<", TokenKind::open, '<'},
    {">>", TokenKind::close, '>'},
});

// Signs of other scripts.
constexpr auto kWideSigns = std::to_array<Sequence>({
    {"：", TokenKind::sign, ':'},
    {"＝", TokenKind::sign, '='},
    {"→", TokenKind::sign, ':'},
    {"，", TokenKind::sign, ','},
    {"。", TokenKind::sign, ';'},
    {"“", TokenKind::quote, '"'},
    {"”", TokenKind::quote, '"'},
    {"„", TokenKind::quote, '"'},
    {"‘", TokenKind::quote, '\''},
    {"’", TokenKind::quote, '\''},
    {"«", TokenKind::quote, '"'},
    {"»", TokenKind::quote, '"'},
    {"（", TokenKind::open, '('},
    {"）", TokenKind::close, ')'},
    {"【", TokenKind::open, '['},
    {"】", TokenKind::close, ']'},
    {"「", TokenKind::quote, '"'},
    {"」", TokenKind::quote, '"'},
});

constexpr std::array<bool, 256> kSignBytes = [] {
  std::array<bool, 256> bytes{};
  for (const char c : std::string_view("=:,;|&?<>")) {
    bytes[static_cast<unsigned char>(c)] = true;
  }
  return bytes;
}();

// The first byte of a character of two bytes or more.
constexpr bool isWide(char c) { return static_cast<unsigned char>(c) >= 0xC2; }

constexpr bool isSign(char c) { return kSignBytes[static_cast<unsigned char>(c)]; }

// Bytes that are part of a word whatever stands beside them.
constexpr std::array<bool, 256> kWordBytes = [] {
  std::array<bool, 256> bytes{};
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    constexpr std::string_view kSigns = "_./+~@#$%^*!";
    bytes[c] = isAlnum(static_cast<char>(c)) || kSigns.contains(static_cast<char>(c)) ||
               (c >= 0x80 && !isWide(static_cast<char>(c)));
  }
  return bytes;
}();

// Where a word ends: at a blank, a quote, a bracket, a sign, or a letter of two bytes that is one.
class Reader {
 public:
  Reader(std::string_view text, std::size_t begin, std::size_t end, std::vector<Token>& tokens)
      : text_(text), at_(begin), end_(end), tokens_(tokens) {}

  void run() {
    while (at_ < end_) {
      const char c = text_[at_];
      if (isAlnum(c)) {
        word();
        continue;
      }
      if (isOf(c, kSpaceChar)) {
        skip(1);
      } else if (const std::size_t blank = isWide(c) ? wideBlankLengthAt(text_, at_) : 0;
                 blank != 0) {
        skip(blank);
      } else if (c == '\\' && isEscapedBlank()) {
        skip(2);
      } else if (const std::size_t marker = c == '[' ? markerLengthAt(text_, at_) : 0;
                 marker != 0) {
        add(TokenKind::marker, c, marker);
      } else if (const Sequence* sequence = sequenceAt(at_)) {
        add(sequence->kind, sequence->sign, sequence->bytes.size());
      } else if (isOf(c, kQuoteChar)) {
        add(TokenKind::quote, c, 1);
      } else if (c == '\\' && at_ + 1 < end_ && isOf(text_[at_ + 1], kQuoteChar)) {
        add(TokenKind::quote, text_[at_ + 1], 2);
      } else if (c == '(' || c == '[' || c == '{') {
        add(TokenKind::open, c, 1);
      } else if (c == ')' || c == ']' || c == '}') {
        add(TokenKind::close, c, 1);
      } else if (isSign(c)) {
        add(TokenKind::sign, c, 1);
      } else {
        word();
      }
    }
  }

 private:
  void skip(std::size_t length) {
    at_ += length;
    spaced_ = true;
  }

  // "\n", "\r", "\t" as a dump shows them, not the \n of C:\new.
  [[nodiscard]] bool isEscapedBlank() const {
    const char next = at_ + 1 < end_ ? text_[at_ + 1] : '\0';
    if (next != 'n' && next != 'r' && next != 't') {
      return false;
    }
    const char behind = at_ + 2 < end_ ? text_[at_ + 2] : '\0';
    return !isOf(behind, kLowerChar);
  }

  [[nodiscard]] const Sequence* sequenceAt(std::size_t at) const {
    const char c = text_[at];
    if (!isWide(c)) {
      const char next = at + 1 < end_ ? text_[at + 1] : '\0';
      if (next != '>' && next != '=' && next != '-' && next != '<') {
        return nullptr;
      }
      const auto* const pair = std::ranges::find_if(kPairs, [&](const Sequence& sequence) {
        return sequence.bytes[0] == c && sequence.bytes[1] == next;
      });
      return pair == kPairs.end() ? nullptr : pair;
    }
    const std::string_view rest = text_.substr(at, end_ - at);
    const auto* const wide = std::ranges::find_if(
        kWideSigns, [&](const Sequence& sequence) { return rest.starts_with(sequence.bytes); });
    return wide == kWideSigns.end() ? nullptr : wide;
  }

  void add(TokenKind kind, char sign, std::size_t length) {
    tokens_.push_back({.begin = static_cast<std::uint32_t>(at_),
                       .end = static_cast<std::uint32_t>(std::min(at_ + length, end_)),
                       .kind = kind,
                       .sign = sign,
                       .spaced = spaced_,
                       .stops = false,
                       .letters = false,
                       .family = Family::none});
    at_ = std::min(at_ + length, end_);
    spaced_ = false;
  }

  [[nodiscard]] bool endsWord(std::size_t at, std::size_t begin) const {
    const char c = text_[at];
    if (isOf(c, kSpaceChar) || c == '(' || c == '[' || c == '{' || c == ')' || c == ']' ||
        c == '}' || isSign(c)) {
      return true;
    }
    if (isOf(c, kQuoteChar)) {
      // can't, O'Brien99
      return c != '\'' || at == begin || at + 1 >= end_ || !isAlnum(text_[at - 1]) ||
             !isAlnum(text_[at + 1]);
    }
    if (c == '\\') {
      return (at + 1 < end_ && isOf(text_[at + 1], kQuoteChar)) ||
             (at + 2 < end_ &&
              (text_[at + 1] == 'n' || text_[at + 1] == 'r' || text_[at + 1] == 't') &&
              !isOf(text_[at + 2], kLowerChar)) ||
             (at + 2 == end_ && (text_[at + 1] == 'n' || text_[at + 1] == 'r'));
    }
    if (isWide(c)) {
      return wideBlankLengthAt(text_, at) != 0 || sequenceAt(at) != nullptr;
    }
    return c == '-' && at + 1 < end_ && text_[at + 1] == '>';
  }

  void word() {
    const std::size_t begin = at_;
    std::size_t end = at_ + 1;
    while (end < end_ &&
           (kWordBytes[static_cast<unsigned char>(text_[end])] || !endsWord(end, begin))) {
      ++end;
    }
    const std::size_t whole = end;
    // The sentence's own stop.
    while (end > begin + 1 && (text_[end - 1] == '.' || text_[end - 1] == '!')) {
      const bool mark = text_[end - 1] == '!';
      if (mark && std::ranges::any_of(text_.substr(begin, end - begin), isDigit)) {
        break;
      }
      --end;
    }
    bool letters = true;
    for (std::size_t i = begin; i < end && letters; ++i) {
      letters = isOf(text_[i], kUpperChar | kLowerChar);
    }
    constexpr std::size_t kLongestName = 80;
    const std::string_view word = text_.substr(begin, end - begin);
    const bool named = word.size() <= kLongestName && word.size() >= 2 &&
                       !word.ends_with("Exception");  // which announces nothing
    Family family = named ? familyOf(word) : Family::none;
    if (!tokens_.empty() && tokens_.back().kind == TokenKind::word && spaced_) {
      const Token& previous = tokens_.back();
      family = familyBehind(family, text_.substr(previous.begin, previous.end - previous.begin));
    }
    tokens_.push_back({.begin = static_cast<std::uint32_t>(begin),
                       .end = static_cast<std::uint32_t>(end),
                       .kind = TokenKind::word,
                       .sign = '\0',
                       .spaced = spaced_,
                       .stops = whole != end,
                       .letters = letters,
                       .family = family});
    at_ = whole;
    spaced_ = false;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  std::vector<Token>& tokens_;
  bool spaced_ = true;
};

// What the names of classes and methods are made of, and what the places between the brackets.
constexpr unsigned char kNameByte = 1U << 0U;
constexpr unsigned char kPlaceByte = 1U << 1U;

constexpr std::array<unsigned char, 256> kFrameBytes = [] {
  std::array<unsigned char, 256> bytes{};
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    bytes[c] = isAlnum(static_cast<char>(c)) ? kNameByte | kPlaceByte : 0;
  }
  for (const char c : std::string_view("._$/<>@-`")) {
    bytes[static_cast<unsigned char>(c)] |= kNameByte;
  }
  for (const char c : std::string_view(".:_ $-")) {
    bytes[static_cast<unsigned char>(c)] |= kPlaceByte;
  }
  return bytes;
}();

std::size_t frameRunEnd(std::string_view line, std::size_t at, unsigned char bytes) {
  const char* const end = line.data() + line.size();
  const char* next = line.data() + at;
  const auto kind = [&](std::ptrdiff_t i) {
    return kFrameBytes[static_cast<unsigned char>(next[i])];
  };
  while (end - next >= 4 && (kind(0) & kind(1) & kind(2) & kind(3) & bytes) != 0) {
    next += 4;
  }
  while (next != end && (kind(0) & bytes) != 0) {
    ++next;
  }
  return static_cast<std::size_t>(next - line.data());
}

}  // namespace

bool isPlainFrame(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && isBlank(line[at])) {
    ++at;
  }
  if (at == 0 || line.size() - at < 3 || line[at] != 'a' || line[at + 1] != 't' ||
      line[at + 2] != ' ') {
    return false;
  }
  const std::size_t open = frameRunEnd(line, at + 3, kNameByte);
  if (open >= line.size() || line[open] != '(') {
    return false;
  }
  // (Login.java:42), (Native Method), (Unknown Source), (TokenService.kt)
  constexpr std::size_t kLongestPlace = 128;
  const std::size_t close = frameRunEnd(line, open + 1, kPlaceByte);
  if (close >= line.size() || line[close] != ')' || close == open + 1 ||
      close - open - 1 > kLongestPlace) {
    return false;
  }
  // ~[spring-security-core-6.2.1.jar:6.2.1]
  constexpr std::size_t kLongestLibrary = 128;
  const std::string_view behind = line.substr(close + 1);
  return behind.empty() || (behind.size() <= kLongestLibrary &&
                            (behind.starts_with(" [") || behind.starts_with(" ~[")));
}

void readTokens(std::string_view text, std::size_t begin, std::size_t end,
                std::vector<Token>& tokens) {
  tokens.clear();
  Reader(text, begin, end, tokens).run();
}

}  // namespace auth_errors::domain
