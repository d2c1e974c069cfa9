// The grammar of RFC 8259 to the letter, checked before jsoncpp builds values: jsoncpp's strict
// mode also takes numbers such as +1 and 2., a comma after an empty key, anything after a NUL, and
// makes up a character for a broken surrogate pair. A pure function, free to use on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace auth_errors::encoding {

enum class JsonFaultKind : std::uint8_t { syntax, unpairedSurrogate, tooDeep };

struct JsonFault {
  JsonFaultKind kind{};
  std::size_t at = 0;  // in bytes
};

// The first fault of a text that is valid UTF-8; none if it is one JSON value with at most
// `maximumDepth` arrays and objects inside each other. Repeated keys are not looked for.
std::optional<JsonFault> findJsonFault(std::string_view text, std::size_t maximumDepth);

}  // namespace auth_errors::encoding
