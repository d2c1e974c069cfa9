// Reads AMQP numbers and strings from a buffer. One thread. Reading past the end makes it fail, and
// all further values are then empty. Only for this folder's own sources.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace auth_errors::messaging {

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  std::string_view bytes(std::size_t count) {
    if (failed_ || rest_.size() < count) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <std::integral Number>
  Number number() {
    const auto taken = bytes(sizeof(Number));
    Number value{};
    if (!taken.empty()) {
      std::memcpy(&value, taken.data(), sizeof value);
    }
    return std::endian::native == std::endian::little ? std::byteswap(value) : value;
  }

  std::string_view shortString() { return bytes(number<std::uint8_t>()); }
  std::string_view longString() { return bytes(number<std::uint32_t>()); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace auth_errors::messaging
