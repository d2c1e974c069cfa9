// For any text and limit, the sanitiser's result is valid UTF-8 within the limit, contains no
// control character, and is a fixed point.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "domain/scrub/sanitiser.h"
#include "domain/values/utf8.h"
#include "tests/fuzz/require.h"

namespace {

bool isStrayControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

// The first byte is the limit. If the second is 128 or more, a long secret precedes the text, so
// that the end of reading may fall within the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  using namespace auth_errors::domain;
  if (size < 2) {
    return 0;
  }
  constexpr std::size_t kSecretUnit = 256;
  const std::size_t limit = std::size_t{data[0]} + 1;
  std::string input;
  if (data[1] >= 128) {
    input.append("password=\"").append(kSecretUnit * (data[1] - 127U), 'y').append("\" ");
  }
  input.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  const ScrubContext context{.userId = "alice42", .sessionId = "f00-ba7"};

  const SanitisedText once = sanitise(input, limit, context);
  if (!once.text) {
    return 0;
  }
  require(!once.text->empty());
  require(isValidUtf8(*once.text));
  require(countCodePoints(*once.text) <= limit);
  require(std::ranges::none_of(*once.text, isStrayControl));

  const SanitisedText twice = sanitise(*once.text, limit, context);
  require(twice.text == once.text);
  require(!twice.truncated);
  return 0;
}
