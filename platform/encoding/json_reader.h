// Strict JSON: RFC 8259 to the letter, no repeated keys, bounded depth, valid UTF-8, no halves of
// surrogate pairs. Read in one pass and without jsoncpp's reader, whose strict mode also takes
// numbers such as +1 and 2., a comma after an empty key, anything after a NUL, and makes up a
// character for a broken surrogate pair. Pure functions, free to use on any thread.
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
