// Validates the grammar of RFC 8259 before jsoncpp builds values: jsoncpp's strict mode also
// accepts numbers such as +1 and 2., a comma after an empty key and anything after a NUL, and
// substitutes a character for a broken surrogate pair. A pure function, usable from any thread.
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

// The first fault in a text of valid UTF-8; none if it is one JSON value with at most
// `maximumDepth` nested arrays and objects. Repeated keys are not detected.
std::optional<JsonFault> findJsonFault(std::string_view text, std::size_t maximumDepth);

}  // namespace auth_errors::encoding
