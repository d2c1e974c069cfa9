// Whatever the text: the hash's parts keep to their limits, do not depend on line numbers, and
// valid text stays valid.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/stack_hash.h"
#include "domain/utf8.h"
#include "tests/fuzz/require.h"

namespace {

using namespace auth_errors::domain;

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Other line and column numbers, of the same length: digits between a colon and what may end a
// place.
std::string withOtherPositions(std::string_view trace) {
  std::string other(trace);
  for (std::size_t at = 1; at < other.size(); ++at) {
    if (other[at - 1] != ':' || !isDigit(other[at])) {
      continue;
    }
    std::size_t end = at;
    while (end < other.size() && isDigit(other[end])) {
      ++end;
    }
    if (end == other.size() || other[end] == ')' || other[end] == '\n') {
      for (std::size_t i = at; i < end; ++i) {
        other[i] = static_cast<char>('0' + ((other[i] - '0' + 1) % 10));
      }
    }
  }
  return other;
}

}  // namespace

// The first byte says how many of the following are the classes and the message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  FaultTexts fault{};
  if (!input.empty()) {
    const auto lengths = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    fault.exceptionClass = input.substr(0, lengths & 0x0FU);
    fault.rootCauseClass = fault.exceptionClass;
    fault.exceptionMessage = input.substr(0, lengths);
    input.remove_prefix(fault.exceptionClass.size());
  }
  fault.stacktrace = input;

  const StackFingerprint parts = fingerprint(fault);
  require(parts.version == kStackHashVersion);
  require(parts.frames.size() <= kMaxHashedFrames);
  require(parts.frames.empty() || parts.message.empty());
  require(fingerprint(fault) == parts);

  // Each part is a piece of the text with a few signs around it.
  constexpr std::size_t kLargestAddition = 64;
  constexpr std::size_t kMaxParts = 200;
  require(stackHashContent(fault).size() <= 4 * size + (kMaxParts * kLargestAddition));
  require(countCodePoints(clusterTitle(parts)) <= kMaxTitleCodePoints);

  const std::string other = withOtherPositions(input);
  fault.stacktrace = other;
  require(parts.frames == fingerprint(fault).frames);
  return 0;
}
