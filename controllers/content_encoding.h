// Bodies that were compressed for the way (Content-Encoding: gzip). A pure function: any thread.
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

}  // namespace auth_errors::controllers
