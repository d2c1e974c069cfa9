// For any text, the scrubber terminates, is idempotent, preserves valid UTF-8 and bounds the growth
// of the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/scrub/scrubber.h"
#include "domain/values/utf8.h"
#include "tests/fuzz/require.h"

// The first byte is the number of following bytes that are the identifiers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  using namespace auth_errors::domain;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  ScrubContext context{.userId = {}, .sessionId = {}, .clientIp = "2001:db8::1"};
  if (!input.empty()) {
    const auto lengths = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    context.userId = input.substr(0, lengths & 0x0FU);
    context.sessionId = input.substr(0, lengths >> 4U);
    input.remove_prefix(std::max(context.userId.size(), context.sessionId.size()));
  }
  // The smallest secret is one byte, the largest marker about twenty.
  constexpr std::size_t kLargestMarker = 32;

  const ScrubResult once = scrub(input, context);
  require(once.text.size() <= kLargestMarker * (input.size() + 1));
  require(!isValidUtf8(input) || isValidUtf8(once.text));
  require(once.counts.total() > 0 || once.text == input);

  const ScrubResult twice = scrub(once.text, context);
  require(twice.text == once.text);
  require(twice.counts.total() == 0);
  return 0;
}
