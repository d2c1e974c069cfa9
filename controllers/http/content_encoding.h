// Bodies that are compressed for the way (Content-Encoding: gzip). Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's own

namespace auth_errors::controllers {

enum class InflateFault : std::uint8_t {
  malformed,  // no gzip, cut short, or something behind it
  tooLarge,   // more than `most` bytes came out; the rest was not looked at
};

// Inflates a body bit by bit. `compressed` must outlive it.
class GzipInflater {
 public:
  GzipInflater(std::string_view compressed, std::size_t most);
  ~GzipInflater();
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;
  GzipInflater(GzipInflater&&) = delete;
  GzipInflater& operator=(GzipInflater&&) = delete;

  // How much comes out by what the stream itself says, at most `most`. It may be wrong.
  [[nodiscard]] std::size_t announced() const { return announced_; }
  // About `bytes` more. True when that was all of it; it must not be called again then, nor after a
  // fault.
  std::expected<bool, InflateFault> inflate(std::size_t bytes);
  [[nodiscard]] std::size_t size() const { return inflated_.size(); }
  // After the last of it.
  std::string take() { return std::move(inflated_); }

 private:
  std::size_t most_;
  std::size_t announced_;
  std::unique_ptr<z_stream_s> stream_;
  std::string inflated_;
};

// As small as it gets, which takes its time.
std::string deflateGzip(std::string_view plain);

// Whether a client that sent this Accept-Encoding takes gzip, as it is or by a wildcard, and not
// with a weight of 0 (RFC 9110, 12.5.3). What can't be read is not accepted.
bool acceptsGzip(std::string_view acceptEncoding);

}  // namespace auth_errors::controllers
