// Strict JSON as in RFC 8259, without repeated keys, with limited depth, valid UTF-8 and no
// unpaired surrogates. Parsed in one pass, without jsoncpp's reader: its strict mode also accepts
// numbers such as +1 and 2., a comma after an empty key and anything after a NUL, and substitutes
// a character for a broken surrogate pair. Pure functions, usable from any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <json/value.h>

namespace auth_errors::encoding {

// The error gives the position and the kind of fault, without quoting the input.
std::expected<Json::Value, std::string> readJson(std::string_view text);
// Likewise, and the value must be an object.
std::expected<Json::Value, std::string> readJsonObject(std::string_view text);

}  // namespace auth_errors::encoding
