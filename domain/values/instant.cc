#include "domain/values/instant.h"

#include <charconv>
#include <format>

namespace auth_errors::domain {
namespace {

// Reads the text from left to right; after a failed step the cursor stays failed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  // Exactly `digits` decimal digits with a value up to `maximum`.
  int number(std::size_t digits, int maximum) {
    int value = 0;
    for (std::size_t index = 0; index < digits; ++index) {
      const std::optional<int> digit = nextDigit();
      if (!digit) {
        failed_ = true;
        return 0;
      }
      value = value * 10 + *digit;
    }
    failed_ = failed_ || value > maximum;
    return value;
  }

  bool skip(char expected) {
    if (rest_.empty() || rest_.front() != expected) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void require(char expected) { failed_ = !skip(expected) || failed_; }

  std::optional<int> nextDigit() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
      return std::nullopt;
    }
    const int digit = rest_.front() - '0';
    rest_.remove_prefix(1);
    return digit;
  }

  void fail() { failed_ = true; }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::chrono::microseconds readFraction(Cursor& cursor) {
  constexpr int kMicrosecondDigits = 6;
  constexpr int kMaximumDigits = 9;
  int value = 0;
  int digits = 0;
  while (const std::optional<int> digit = cursor.nextDigit()) {
    if (digits < kMicrosecondDigits) {
      value = value * 10 + *digit;
    }
    ++digits;
  }
  if (digits == 0 || digits > kMaximumDigits) {
    cursor.fail();
  }
  for (int index = digits; index < kMicrosecondDigits; ++index) {
    value *= 10;
  }
  return std::chrono::microseconds{value};
}

// Z, +hh:mm, +hhmm or +hh, up to 18 hours in either direction as in ISO-8601 libraries.
std::chrono::minutes readOffset(Cursor& cursor) {
  constexpr int kMaximumHours = 18;
  if (cursor.skip('Z') || cursor.skip('z')) {
    return {};
  }
  const bool west = cursor.skip('-');
  if (!west) {
    cursor.require('+');
  }
  std::chrono::minutes offset = std::chrono::hours{cursor.number(2, kMaximumHours)};
  if (!cursor.atEnd()) {
    cursor.skip(':');
    offset += std::chrono::minutes{cursor.number(2, 59)};
  }
  if (offset > std::chrono::hours{kMaximumHours}) {
    cursor.fail();
  }
  return west ? -offset : offset;
}

}  // namespace

std::optional<Instant> parseInstant(std::string_view text) {
  Cursor cursor(text);
  const int year = cursor.number(4, 9999);
  cursor.require('-');
  const int month = cursor.number(2, 12);
  cursor.require('-');
  const int day = cursor.number(2, 31);
  if (!cursor.skip('T')) {
    cursor.require('t');
  }
  const std::chrono::hours hours{cursor.number(2, 23)};
  cursor.require(':');
  const std::chrono::minutes minutes{cursor.number(2, 59)};
  std::chrono::seconds seconds{};
  std::chrono::microseconds fraction{};
  if (cursor.skip(':')) {
    seconds = std::chrono::seconds{cursor.number(2, 59)};
    if (cursor.skip('.') || cursor.skip(',')) {
      fraction = readFraction(cursor);
    }
  }
  const std::chrono::minutes offset = readOffset(cursor);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (cursor.failed() || !cursor.atEnd() || year == 0 || !date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date} + hours + minutes + seconds + fraction - offset;
}

std::string formatInstant(Instant instant) { return std::format("{:%FT%T}Z", instant); }

}  // namespace auth_errors::domain
