// Bodies that are compressed for the way (Content-Encoding: gzip). Pure functions: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace auth_errors::controllers {

enum class InflateFault : std::uint8_t {
  malformed,  // no gzip, cut short, or something behind it
  tooLarge,   // more than `most` bytes came out; the rest was not looked at
};

std::expected<std::string, InflateFault> inflateGzip(std::string_view compressed, std::size_t most);

// As small as it gets, which takes its time.
std::string deflateGzip(std::string_view plain);

// Whether a client that sent this Accept-Encoding takes gzip, as it is or by a wildcard, and not
// with a weight of 0 (RFC 9110, 12.5.3). What can't be read is not accepted.
bool acceptsGzip(std::string_view acceptEncoding);

}  // namespace auth_errors::controllers
