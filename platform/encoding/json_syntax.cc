#include "platform/encoding/json_syntax.h"

#include <cstring>

namespace auth_errors::encoding {
namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::optional<std::uint32_t> hexDigit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t digit = kDigits.find(lower);
  return digit == std::string_view::npos ? std::nullopt
                                         : std::optional(static_cast<std::uint32_t>(digit));
}

constexpr bool isHighSurrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool isLowSurrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Whether the character ends the plain part of a string.
constexpr bool endsPlain(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Whether `endsPlain` holds for any of eight characters, tested at once: subtracting the bound from
// a byte borrows into its highest bit, unless that bit was already set.
bool anyEndsPlain(const char* characters) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighest = kOnes << 7U;
  std::uint64_t word = 0;
  std::memcpy(&word, characters, sizeof word);
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                              ((word - kOnes * 0x20) & ~word);
  return (found & kHighest) != 0;
}

// The end of the plain characters of a string, which make up most of a body.
std::size_t plainEnd(std::string_view text, std::size_t at) {
  while (text.size() - at >= sizeof(std::uint64_t) && !anyEndsPlain(&text[at])) {
    at += sizeof(std::uint64_t);
  }
  while (at < text.size() && !endsPlain(text[at])) {
    ++at;
  }
  return at;
}

// Each function parses its production from the current position, or records the fault and returns
// false. The maximum depth bounds the recursion.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t maximumDepth)
      : text_(text), maximumDepth_(maximumDepth) {}

  std::optional<JsonFault> run() {
    if (!value(0)) {
      return fault_;
    }
    blanks();
    if (at_ < text_.size()) {
      return JsonFault{.kind = JsonFaultKind::syntax, .at = at_};
    }
    return std::nullopt;
  }

 private:
  bool fault(JsonFaultKind kind, std::size_t at) {
    fault_ = {.kind = kind, .at = at};
    return false;
  }

  bool syntaxFault() { return fault(JsonFaultKind::syntax, at_); }

  // NUL at the end, which is not part of the grammar either.
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char wanted) {
    const bool there = at_ < text_.size() && text_[at_] == wanted;
    at_ += there ? 1 : 0;
    return there;
  }

  void blanks() {
    while (next() == ' ' || next() == '\n' || next() == '\r' || next() == '\t') {
      ++at_;
    }
  }

  bool value(std::size_t depth) {
    blanks();
    switch (next()) {
      case '{':
        return object(depth + 1);
      case '[':
        return array(depth + 1);
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  bool object(std::size_t depth) {
    if (depth > maximumDepth_) {
      return fault(JsonFaultKind::tooDeep, at_);
    }
    ++at_;
    blanks();
    if (take('}')) {
      return true;
    }
    do {
      blanks();
      if (next() != '"') {
        return syntaxFault();
      }
      if (!string()) {
        return false;
      }
      blanks();
      if (!take(':')) {
        return syntaxFault();
      }
      if (!value(depth)) {
        return false;
      }
      blanks();
    } while (take(','));
    return take('}') || syntaxFault();
  }

  bool array(std::size_t depth) {
    if (depth > maximumDepth_) {
      return fault(JsonFaultKind::tooDeep, at_);
    }
    ++at_;
    blanks();
    if (take(']')) {
      return true;
    }
    do {
      if (!value(depth)) {
        return false;
      }
      blanks();
    } while (take(','));
    return take(']') || syntaxFault();
  }

  bool literal(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) {
      return syntaxFault();
    }
    at_ += word.size();
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (isDigit(next())) {
      ++at_;
    }
    return at_ > begin;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) {
      return syntaxFault();
    }
    if (take('.') && !digits()) {
      return syntaxFault();
    }
    if (take('e') || take('E')) {
      if (next() == '+' || next() == '-') {
        ++at_;
      }
      return digits() || syntaxFault();
    }
    return true;
  }

  bool string() {
    ++at_;
    while ((at_ = plainEnd(text_, at_)) < text_.size()) {
      if (take('"')) {
        return true;
      }
      if (next() != '\\') {
        return syntaxFault();  // a control character
      }
      if (!escape()) {
        return false;
      }
    }
    return syntaxFault();
  }

  bool escape() {
    const std::size_t begin = at_;
    ++at_;
    switch (next()) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        ++at_;
        return true;
      case 'u':
        ++at_;
        return codePoint(begin);
      default:
        return fault(JsonFaultKind::syntax, begin);
    }
  }

  // Reads one code unit, or the two of a pair, from its first digit.
  bool codePoint(std::size_t begin) {
    const auto first = codeUnit();
    if (!first) {
      return fault(JsonFaultKind::syntax, begin);
    }
    if (isLowSurrogate(*first)) {
      return fault(JsonFaultKind::unpairedSurrogate, begin);
    }
    if (!isHighSurrogate(*first)) {
      return true;
    }
    if (!take('\\') || !take('u')) {
      return fault(JsonFaultKind::unpairedSurrogate, begin);
    }
    const auto second = codeUnit();
    return (second && isLowSurrogate(*second)) || fault(JsonFaultKind::unpairedSurrogate, begin);
  }

  std::optional<std::uint32_t> codeUnit() {
    std::uint32_t unit = 0;
    for (int count = 0; count < 4; ++count) {
      const auto digit = hexDigit(next());
      if (!digit) {
        return std::nullopt;
      }
      unit = unit * 16 + *digit;
      ++at_;
    }
    return unit;
  }

  std::string_view text_;
  std::size_t maximumDepth_;
  std::size_t at_ = 0;
  JsonFault fault_;
};

}  // namespace

std::optional<JsonFault> findJsonFault(std::string_view text, std::size_t maximumDepth) {
  return Scanner(text, maximumDepth).run();
}

}  // namespace auth_errors::encoding
