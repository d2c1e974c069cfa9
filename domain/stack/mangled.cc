#include "domain/stack/mangled.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

struct OperatorCode {
  std::string_view code;
  std::string_view sign;
};
constexpr auto kOperators = std::to_array<OperatorCode>({
    {"nw", " new"}, {"na", " new"}, {"dl", " delete"}, {"da", " delete"}, {"eq", "=="},
    {"ne", "!="},   {"lt", "<"},    {"gt", ">"},       {"le", "<="},      {"ge", ">="},
    {"ss", "<=>"},  {"ls", "<<"},   {"rs", ">>"},      {"pl", "+"},       {"mi", "-"},
    {"ml", "*"},    {"dv", "/"},    {"rm", "%"},       {"ix", "[]"},      {"cl", "()"},
    {"pt", "->"},   {"de", "*"},    {"ad", "&"},       {"aS", "="},       {"pL", "+="},
    {"mI", "-="},   {"co", "~"},    {"nt", "!"},       {"aa", "&&"},      {"oo", "||"},
    {"an", "&"},    {"or", "|"},    {"eo", "^"},       {"pp", "++"},      {"mm", "--"},
});

// Parses the grammar of the Itanium C++ ABI, "mangling".
class SymbolReader {
 public:
  explicit SymbolReader(std::string_view encoding) : rest_(encoding) {}

  bool readName() {
    // A local entity, usually a lambda: the enclosing function is the one with a name.
    while (consume(rest_, "Z")) {
    }
    if (consume(rest_, "N")) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of("rVKRO"), rest_.size()));
      while (!rest_.empty() && !rest_.starts_with('E')) {
        if (!readPart()) {
          return false;
        }
      }
      return !path_.empty() && !rest_.empty();
    }
    if (rest_.starts_with("St") && !readPart()) {
      return false;
    }
    return readPart();
  }

  std::string take() { return std::move(path_); }

 private:
  bool readPart() {
    consume(rest_, "L");
    if (rest_.empty()) {
      return false;
    }
    if (isDigit(rest_.front())) {
      return readSourceName();
    }
    if (consume(rest_, "St")) {
      put("std");
      return true;
    }
    if (consume(rest_, "B")) {
      return !takeSourceName().empty();  // an ABI tag
    }
    if (consume(rest_, "I")) {
      return skipGroup();
    }
    if (consume(rest_, "Ul")) {
      return skipGroup() && skipNumber();
    }
    if (consume(rest_, "Ut")) {
      return skipNumber();
    }
    return readConstructor() || readOperator();
  }

  std::string_view takeSourceName() {
    constexpr std::size_t kMaxDigits = 4;
    const std::size_t digits = runEnd(rest_, 0, kDigitChar);
    if (digits == 0 || digits > kMaxDigits) {
      return {};
    }
    std::size_t length = 0;
    for (const char digit : rest_.substr(0, digits)) {
      length = (10 * length) + static_cast<std::size_t>(digit - '0');
    }
    rest_.remove_prefix(digits);
    if (length > rest_.size()) {
      return {};
    }
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  bool readSourceName() {
    const std::string_view name = takeSourceName();
    if (name.empty()) {
      return false;
    }
    last_ = name;
    put(name.starts_with("_GLOBAL__N") ? "(anonymous namespace)" : name);
    return true;
  }

  // C1, C2, D0, D1, D2: the kinds of constructors and destructors.
  bool readConstructor() {
    const bool known = rest_.size() > 1 && (rest_[0] == 'C' || rest_[0] == 'D') &&
                       isDigit(rest_[1]) && !last_.empty();
    if (known) {
      put(rest_[0] == 'D' ? "~" : "");
      path_ += last_;
      rest_.remove_prefix(2);
    }
    return known;
  }

  bool readOperator() {
    const auto* const found =
        std::ranges::find(kOperators, rest_.substr(0, 2), &OperatorCode::code);
    if (found == kOperators.end()) {
      return false;
    }
    put("operator");
    path_ += found->sign;
    rest_.remove_prefix(2);
    return true;
  }

  // From after the letter that opened a group to after the E that closes it.
  bool skipGroup() {
    for (int depth = 1; depth > 0;) {
      if (rest_.empty()) {
        return false;
      }
      if (isDigit(rest_.front())) {
        if (takeSourceName().empty()) {
          return false;
        }
        continue;
      }
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == 'L') {
        // The digits of a literal are not a length.
        const std::size_t end = rest_.find('E');
        if (end == std::string_view::npos) {
          return false;
        }
        rest_.remove_prefix(end + 1);
      } else if (c == 'E') {
        --depth;
      } else if (c == 'S' || c == 'T') {
        skipReference();
      } else if (std::string_view("INFJX").contains(c)) {
        ++depth;
      }
    }
    return true;
  }

  // "S_", "S1a_", "St", "T0_"
  void skipReference() {
    const std::size_t end = runEnd(rest_, 0, kDigitChar | kUpperChar);
    const bool numbered = end < rest_.size() && rest_[end] == '_';
    rest_.remove_prefix(numbered ? end + 1 : std::min<std::size_t>(1, rest_.size()));
  }

  bool skipNumber() {
    rest_.remove_prefix(runEnd(rest_, 0, kDigitChar));
    return consume(rest_, "_");
  }

  void put(std::string_view part) {
    if (!path_.empty()) {
      path_ += "::";
    }
    path_ += part;
  }

  std::string_view rest_;
  std::string_view last_;
  std::string path_;
};

}  // namespace

std::string demangledPath(std::string_view symbol) {
  // macOS prefixes every symbol with another underscore.
  if (!consume(symbol, "_Z") && !consume(symbol, "__Z")) {
    return {};
  }
  SymbolReader reader(symbol);
  return reader.readName() ? reader.take() : std::string{};
}

}  // namespace auth_errors::domain
