#include "platform/encoding/json_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <format>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "domain/values/ascii.h"
#include "domain/values/hex.h"
#include "domain/values/utf8.h"

namespace auth_errors::encoding {
namespace {

using domain::hexDigit;
using domain::isDigit;

constexpr std::size_t kMaximumDepth = 32;

enum class FaultKind : std::uint8_t { syntax, unpairedSurrogate, tooDeep, repeatedKey };

struct Fault {
  FaultKind kind{};
  std::size_t at = 0;  // in bytes
};

std::string describe(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::syntax:
      return std::format("has a syntax error at byte {}", fault.at);
    case FaultKind::unpairedSurrogate:
      return std::format("has an unpaired surrogate at byte {}", fault.at);
    case FaultKind::tooDeep:
      return std::format("is nested more than {} levels deep", kMaximumDepth);
    case FaultKind::repeatedKey:
      return std::format("repeats a key at byte {}", fault.at);
  }
  std::unreachable();
}

constexpr bool isHighSurrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool isLowSurrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Whether the character ends the plain part of a string.
constexpr bool endsPlain(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// The characters among eight for which `endsPlain` holds, tested at once: subtracting the bound
// from a byte borrows into its highest bit, unless that bit was already set. The lowest set bit
// belongs to the first of them; the borrow may set bits for characters after it.
std::uint64_t endsPlainBits(const char* characters) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighest = kOnes << 7U;
  std::uint64_t word = 0;
  std::memcpy(&word, characters, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = std::byteswap(word);
  }
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                              ((word - kOnes * 0x20) & ~word);
  return found & kHighest;
}

// The end of the plain characters of a string, which make up most of a body.
std::size_t plainEnd(std::string_view text, std::size_t at) {
  constexpr std::ptrdiff_t kWord = sizeof(std::uint64_t);
  const char* const end = text.data() + text.size();
  const char* next = text.data() + at;
  for (; end - next >= kWord; next += kWord) {
    if (const std::uint64_t bits = endsPlainBits(next); bits != 0) {
      next += std::countr_zero(bits) / 8;
      return static_cast<std::size_t>(next - text.data());
    }
  }
  while (next != end && !endsPlain(*next)) {
    ++next;
  }
  return static_cast<std::size_t>(next - text.data());
}

void appendUtf8(std::string& out, std::uint32_t codePoint) {
  const auto continuation = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((codePoint >> shift) & 0x3FU));
  };
  if (codePoint < 0x80) {
    out += static_cast<char>(codePoint);
  } else if (codePoint < 0x800) {
    out += static_cast<char>(0xC0U | (codePoint >> 6U));
    continuation(0);
  } else if (codePoint < 0x10000) {
    out += static_cast<char>(0xE0U | (codePoint >> 12U));
    continuation(6);
    continuation(0);
  } else {
    out += static_cast<char>(0xF0U | (codePoint >> 18U));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

template <typename Integer>
std::optional<Integer> integerFrom(std::string_view text) {
  Integer integer{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), integer);
  return parsed.ec == std::errc{} ? std::optional(integer) : std::nullopt;
}

// REQUIRES: the text is a number by the grammar.
double doubleFrom(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  // from_chars does not tell underflow from overflow.
  return parsed.ec == std::errc{} ? number : std::strtod(std::string(text).c_str(), nullptr);
}

// An integer if it fits into 64 bits, otherwise a double.
Json::Value wholeNumberFrom(std::string_view text) {
  if (text.starts_with('-')) {
    const auto number = integerFrom<Json::Int64>(text);
    return number ? Json::Value(*number) : Json::Value(doubleFrom(text));
  }
  const auto number = integerFrom<Json::UInt64>(text);
  if (!number) {
    return {doubleFrom(text)};
  }
  return *number <= static_cast<Json::UInt64>(std::numeric_limits<Json::Int64>::max())
             ? Json::Value(static_cast<Json::Int64>(*number))
             : Json::Value(*number);
}

// Each function parses its production from the current position, or records the fault and returns
// false. The maximum depth bounds the recursion.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::expected<Json::Value, Fault> run() {
    Json::Value root;
    if (!value(root, 0)) {
      return std::unexpected(fault_);
    }
    blanks();
    if (at_ < text_.size()) {
      return std::unexpected(Fault{.kind = FaultKind::syntax, .at = at_});
    }
    // A syntax error takes precedence over a repeated key before it.
    if (repeatedKeyAt_) {
      return std::unexpected(Fault{.kind = FaultKind::repeatedKey, .at = *repeatedKeyAt_});
    }
    return root;
  }

 private:
  bool fault(FaultKind kind, std::size_t at) {
    fault_ = {.kind = kind, .at = at};
    return false;
  }

  bool syntaxFault() { return fault(FaultKind::syntax, at_); }

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

  bool value(Json::Value& out, std::size_t depth) {
    blanks();
    switch (next()) {
      case '{':
        return object(out, depth + 1);
      case '[':
        return array(out, depth + 1);
      case '"':
        return stringValue(out);
      case 't':
        out = true;
        return literal("true");
      case 'f':
        out = false;
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number(out);
    }
  }

  bool object(Json::Value& out, std::size_t depth) {
    if (depth > kMaximumDepth) {
      return fault(FaultKind::tooDeep, at_);
    }
    out = Json::Value(Json::objectValue);
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
      const std::size_t keyAt = at_;
      const auto key = string();
      if (!key) {
        return false;
      }
      blanks();
      if (!take(':')) {
        return syntaxFault();
      }
      const auto size = out.size();
      Json::Value& member = *out.demand(key->data(), key->data() + key->size());
      if (out.size() == size && !repeatedKeyAt_) {
        repeatedKeyAt_ = keyAt;
      }
      if (!value(member, depth)) {
        return false;
      }
      blanks();
    } while (take(','));
    return take('}') || syntaxFault();
  }

  bool array(Json::Value& out, std::size_t depth) {
    if (depth > kMaximumDepth) {
      return fault(FaultKind::tooDeep, at_);
    }
    out = Json::Value(Json::arrayValue);
    ++at_;
    blanks();
    if (take(']')) {
      return true;
    }
    do {
      if (!value(out.append(Json::Value()), depth)) {
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

  bool number(Json::Value& out) {
    const std::size_t begin = at_;
    bool whole = true;
    take('-');
    if (!take('0') && !digits()) {
      return syntaxFault();
    }
    if (take('.')) {
      whole = false;
      if (!digits()) {
        return syntaxFault();
      }
    }
    if (take('e') || take('E')) {
      whole = false;
      if (next() == '+' || next() == '-') {
        ++at_;
      }
      if (!digits()) {
        return syntaxFault();
      }
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    out = whole ? wholeNumberFrom(text) : Json::Value(doubleFrom(text));
    return true;
  }

  bool stringValue(Json::Value& out) {
    const auto text = string();
    if (text) {
      out = Json::Value(text->data(), text->data() + text->size());
    }
    return text.has_value();
  }

  // The value of the string at the current position: a view into the text, or into `decoded_`,
  // which is valid until the next string is read.
  std::optional<std::string_view> string() {
    const std::size_t begin = ++at_;
    at_ = plainEnd(text_, at_);
    const std::string_view plain = text_.substr(begin, at_ - begin);
    if (take('"')) {
      return plain;
    }
    // Most strings with escapes are stack traces.
    constexpr std::size_t kLikelySize = 4096;
    decoded_.clear();
    decoded_.reserve(std::min(text_.size() - begin, kLikelySize));
    decoded_ += plain;
    while (at_ < text_.size()) {
      if (take('"')) {
        return decoded_;
      }
      if (next() != '\\') {
        break;  // a control character
      }
      if (!escape()) {
        return std::nullopt;
      }
      const std::size_t plainBegin = at_;
      at_ = plainEnd(text_, at_);
      decoded_ += text_.substr(plainBegin, at_ - plainBegin);
    }
    syntaxFault();
    return std::nullopt;
  }

  bool escape() {
    const std::size_t begin = at_;
    ++at_;
    const char code = next();
    ++at_;
    switch (code) {
      case '"':
      case '\\':
      case '/':
        decoded_ += code;
        return true;
      case 'b':
        decoded_ += '\b';
        return true;
      case 'f':
        decoded_ += '\f';
        return true;
      case 'n':
        decoded_ += '\n';
        return true;
      case 'r':
        decoded_ += '\r';
        return true;
      case 't':
        decoded_ += '\t';
        return true;
      case 'u':
        return codePoint(begin);
      default:
        return fault(FaultKind::syntax, begin);
    }
  }

  // Reads one code unit, or the two of a pair, from its first digit.
  bool codePoint(std::size_t begin) {
    const auto first = codeUnit();
    if (!first) {
      return fault(FaultKind::syntax, begin);
    }
    if (isLowSurrogate(*first)) {
      return fault(FaultKind::unpairedSurrogate, begin);
    }
    if (!isHighSurrogate(*first)) {
      appendUtf8(decoded_, *first);
      return true;
    }
    if (!take('\\') || !take('u')) {
      return fault(FaultKind::unpairedSurrogate, begin);
    }
    const auto second = codeUnit();
    if (!second || !isLowSurrogate(*second)) {
      return fault(FaultKind::unpairedSurrogate, begin);
    }
    appendUtf8(decoded_, 0x10000 + ((*first & 0x3FFU) << 10U) + (*second & 0x3FFU));
    return true;
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
  std::size_t at_ = 0;
  Fault fault_;
  std::optional<std::size_t> repeatedKeyAt_;  // the first
  std::string decoded_;
};

}  // namespace

std::expected<Json::Value, std::string> readJson(std::string_view text) {
  if (text.empty()) {
    return std::unexpected("is empty");
  }
  if (!domain::isValidUtf8(text)) {
    return std::unexpected("is not valid UTF-8");
  }
  return Parser(text).run().transform_error(describe);
}

std::expected<Json::Value, std::string> readJsonObject(std::string_view text) {
  auto value = readJson(text);
  if (value && !value->isObject()) {
    return std::unexpected("must be a JSON object");
  }
  return value;
}

}  // namespace auth_errors::encoding
