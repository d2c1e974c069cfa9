#include "domain/stack/message.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/scrub/kinds.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// Separators that end a word; any other character may be part of an id, address or path.
bool endsWord(char c) {
  return isOf(c, kSpaceChar | kQuoteChar) || std::string_view("()[]{}<>,;=|").contains(c);
}

bool isDayOrMonth(std::string_view word) {
  constexpr auto kWholeNames = std::to_array<std::string_view>(
      {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January",
       "February", "March", "April", "June", "July", "August", "September", "October", "November",
       "December"});
  constexpr auto kNames = std::to_array<std::string_view>(
      {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
  return std::ranges::contains(kNames, word) || std::ranges::contains(kWholeNames, word);
}

bool isTimeZone(std::string_view word) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"UTC", "GMT", "BST", "CET", "CEST", "EET", "EEST", "MSK", "IST", "JST",
       "EST", "EDT", "CST", "CDT", "MST",  "MDT", "PST",  "PDT", "AM",  "PM"});
  return std::ranges::contains(kNames, word);
}

// Algorithms, protocols and families of error codes, in which a different number is a different
// thing.
bool isNumberedKind(std::string_view letters) {
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"aadsts", "aes", "argon", "base", "blake", "crc",  "ed", "es", "http", "hs",
       "ip",     "md",  "oauth", "ora",  "pbkdf", "pkcs", "ps", "rs", "rsa",  "saml",
       "secp",   "sha", "ssl",   "tls",  "tns",   "utf",  "v",  "x"});
  const auto isKind = [letters](std::string_view kind) { return equalsWord(letters, kind); };
  return std::ranges::any_of(kKinds, isKind);
}

// "TLSv1.2", "sha-256", "HTTP/1.1", "argon2id", "v1"
bool isNumberedOfAKind(std::string_view word) {
  constexpr std::size_t kMaxName = 16;
  constexpr std::size_t kMaxVersion = 2;
  const std::size_t end = runEnd(word, 0, kUpperChar | kLowerChar);
  std::string_view letters = word.substr(0, end);
  std::string_view number = word.substr(end);
  if (letters.size() > 1 && letters.ends_with('v')) {
    letters.remove_suffix(1);
  }
  if (word.size() > kMaxName || !isNumberedKind(letters)) {
    return false;
  }
  if (letters.size() == 1 && toLower(letters.front()) == 'v') {
    return number.size() <= kMaxVersion && isAllDigits(number);
  }
  if (number.starts_with('-') || number.starts_with('/')) {
    number.remove_prefix(1);
  }
  return !number.empty() && isDigit(number.front()) &&
         std::ranges::all_of(number, [](char c) { return isAlnum(c) || c == '.' || c == '-'; });
}

// SHA256, RS512, SAML2, X509, OAuth2: the number is part of the name.
bool isNumberedName(std::string_view word) {
  constexpr std::size_t kMaxLetters = 5;
  constexpr std::size_t kMaxDigits = 3;
  const std::size_t letters = runEnd(word, 0, kUpperChar);
  const std::string_view number = word.substr(letters);
  return isNumberedOfAKind(word) || (letters > 0 && letters <= kMaxLetters &&
                                     number.size() <= kMaxDigits && isAllDigits(number));
}

// "ff:ee:dd:cc:bb:aa"
bool isHardwareAddress(std::string_view word) {
  constexpr std::size_t kLength = 17;
  return word.size() == kLength &&
         word.find_first_not_of("0123456789abcdefABCDEF:-") == std::string_view::npos &&
         std::ranges::count_if(word, [](char c) { return c == ':' || c == '-'; }) == 5;
}

// Typographic quotes around a value.
struct Quotes {
  std::string_view open;
  std::string_view close;
};
constexpr auto kTypographicQuotes = std::to_array<Quotes>({
    {"\xE2\x80\x9C", "\xE2\x80\x9D"},  // “ ”
    {"\xE2\x80\x9E", "\xE2\x80\x9C"},  // „ “
    {"\xE2\x80\x98", "\xE2\x80\x99"},  // ‘ ’
    {"\xC2\xAB", "\xC2\xBB"},          // « »
    {"\xE3\x80\x8C", "\xE3\x80\x8D"},  // 「 」
});

bool isPath(std::string_view word) {
  const bool drive = word.size() > 2 && word[1] == ':' && (word[2] == '\\' || word[2] == '/');
  return drive || word.starts_with('/') || word.starts_with("./") || word.starts_with("../") ||
         word.starts_with("~/") || std::ranges::count(word, '/') > 1 ||
         std::ranges::count(word, '\\') > 2 || word.contains("://");
}

bool isValue(std::string_view word) {
  constexpr std::size_t kMinHex = 8;
  if (word.contains('@') || isPath(word) || isDayOrMonth(word) || isHardwareAddress(word) ||
      (word.size() >= kMinHex && isAllHex(word))) {
    return true;
  }
  return std::ranges::any_of(word, isDigit) && !isNumberedName(word);
}

// "user:4711" and "order#12": the word and its separator stay, the value is replaced. 0 if there is
// no label.
std::size_t labelLength(std::string_view word) {
  const std::size_t end = runEnd(word, 0, kUpperChar | kLowerChar);
  const bool labelled = end + 1 < word.size() && (word[end] == ':' || word[end] == '#') &&
                        isAlnum(word[end + 1]) && !isAllHex(word.substr(0, end));
  return labelled ? end + 1 : 0;
}

class Parameteriser {
 public:
  explicit Parameteriser(std::string_view message) : message_(message) {}

  std::string run() {
    while (at_ < message_.size()) {
      step();
    }
    while (!out_.empty() && out_.back() == ' ') {
      out_.pop_back();
    }
    return std::move(out_);
  }

 private:
  void step() {
    const std::string_view rest = message_.substr(at_);
    const char c = rest.front();
    if (const std::size_t marker = markerLengthAt(message_, at_); marker > 0) {
      putParameter(marker);
    } else if (rest.starts_with(kParameter)) {
      putParameter(kParameter.size());
    } else if (isOf(c, kQuoteChar)) {
      takeQuoted();
    } else if ((c & 0x80) != 0 && takeTypographicQuotes(rest)) {
      return;
    } else if (endsWord(c)) {
      putSign(c);
    } else {
      takeWord();
    }
  }

  void takeQuoted() {
    const char quote = message_[at_];
    const bool apostrophe = at_ > 0 && isAlnum(message_[at_ - 1]);
    const std::size_t end = apostrophe ? std::string_view::npos : closing(quote);
    if (end == std::string_view::npos) {
      out_ += quote;
      ++at_;
    } else {
      putParameter(end + 1 - at_);
    }
  }

  bool takeTypographicQuotes(std::string_view rest) {
    for (std::size_t i = 0; i < kTypographicQuotes.size(); ++i) {
      const auto& [open, close] = kTypographicQuotes[i];
      if (unclosed_[i] || !rest.starts_with(open)) {
        continue;
      }
      const std::size_t end = rest.find(close, open.size());
      if (end != std::string_view::npos) {
        putParameter(end + close.size());
        return true;
      }
      unclosed_[i] = true;
    }
    return false;
  }

  // An apostrophe inside a quoted value does not close it. An unsuccessful search is not repeated.
  std::size_t closing(char quote) {
    if (quote == missing_) {
      return std::string_view::npos;
    }
    for (std::size_t end = message_.find(quote, at_ + 1); end != std::string_view::npos;
         end = message_.find(quote, end + 1)) {
      if (quote != '\'' || end + 1 == message_.size() || !isAlnum(message_[end + 1])) {
        return end;
      }
    }
    missing_ = quote;
    return std::string_view::npos;
  }

  void takeWord() {
    std::size_t end = at_;
    while (end < message_.size() && !endsWord(message_[end])) {
      ++end;
    }
    if (message_.substr(at_, end - at_).contains("://")) {
      while (end < message_.size() && !isOf(message_[end], kSpaceChar | kQuoteChar) &&
             message_[end] != '>') {
        ++end;
      }
    }
    std::string_view word = message_.substr(at_, end - at_);
    while (word.size() > 1 && std::string_view(".:!?),;]").contains(word.back())) {
      word.remove_suffix(1);
    }
    const std::size_t label = labelLength(word);
    out_ += word.substr(0, label);
    at_ += label;
    put(word.substr(label));
    // All at once: reading the word again for each following character would not be linear.
    out_ += message_.substr(at_, end - at_);
    at_ = end;
  }

  void put(std::string_view word) {
    if (isValue(word) || (isTimeZone(word) && trimmedLine(out_).ends_with(kParameter))) {
      putParameter(word.size());
    } else {
      out_ += word;
      at_ += word.size();
    }
  }

  void putSign(char c) {
    ++at_;
    if (!isOf(c, kSpaceChar)) {
      out_ += c;
    } else if (!out_.empty() && out_.back() != ' ') {
      out_ += ' ';
    }
  }

  // Consecutive parameters are merged: the length of a list or the parts of a time are values too.
  void putParameter(std::size_t length) {
    at_ += length;
    const std::size_t last = std::string_view(out_).find_last_not_of(" ,;:-+./");
    const std::string_view written = std::string_view(out_).substr(0, last + 1);
    if (last != std::string::npos && written.ends_with(kParameter)) {
      out_.resize(written.size());
    } else {
      out_ += kParameter;
    }
  }

  std::string_view message_;
  std::size_t at_ = 0;
  char missing_ = '\0';
  std::array<bool, kTypographicQuotes.size()> unclosed_{};
  std::string out_;
};

}  // namespace

std::string parameterised(std::string_view message) { return Parameteriser(message).run(); }

}  // namespace auth_errors::domain
