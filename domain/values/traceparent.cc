#include "domain/values/traceparent.h"

#include <algorithm>
#include <cstddef>

#include "domain/values/hex.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kVersion = "00";
constexpr std::string_view kNoVersion = "ff";
constexpr std::size_t kTraceIdDigits = 32;
constexpr std::size_t kParentIdDigits = 16;
constexpr std::size_t kFlagsDigits = 2;
// Four fields and three dashes.
constexpr std::size_t kSize = kVersion.size() + kTraceIdDigits + kParentIdDigits + kFlagsDigits + 3;

bool isZero(char c) { return c == '0'; }

// Consumes a field of this many digits that ends with a dash or the text; empty if there is none.
std::string_view takeField(std::string_view& rest, std::size_t digits) {
  const std::string_view field = rest.substr(0, digits);
  const bool ends = rest.size() == digits || (rest.size() > digits && rest[digits] == '-');
  if (!ends || !std::ranges::all_of(field, isLowerHex)) {
    return {};
  }
  rest.remove_prefix(std::min(digits + 1, rest.size()));
  return field;
}

// The lowest bit.
bool isSampled(std::string_view flags) {
  return std::string_view("13579bdf").contains(flags.back());
}

}  // namespace

std::optional<std::string> readTraceparent(std::string_view header) {
  if (header.size() < kSize) {
    return std::nullopt;
  }
  std::string_view rest = header;
  const std::string_view version = takeField(rest, kVersion.size());
  const std::string_view traceId = takeField(rest, kTraceIdDigits);
  const std::string_view parentId = takeField(rest, kParentIdDigits);
  const std::string_view flags = takeField(rest, kFlagsDigits);
  if (version.empty() || version == kNoVersion || flags.empty() ||
      std::ranges::all_of(traceId, isZero) || std::ranges::all_of(parentId, isZero)) {
    return std::nullopt;
  }
  if (version == kVersion) {
    return header.size() == kSize ? std::optional(std::string(header)) : std::nullopt;
  }
  std::string text(header.substr(0, kSize));
  text.replace(0, kVersion.size(), kVersion);
  text.replace(kSize - kFlagsDigits, kFlagsDigits, isSampled(flags) ? "01" : "00");
  return text;
}

}  // namespace auth_errors::domain
