// Whatever the text and the limit: the sanitiser's result is valid UTF-8 within the limit, holds no
// control character, and is not changed the second time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/sanitiser.h"
#include "domain/utf8.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool isStrayControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

// The first byte is the limit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace auth_errors::domain;
  if (size == 0) {
    return 0;
  }
  const std::size_t limit = std::size_t{data[0]} + 1;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
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
