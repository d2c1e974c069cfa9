// Content-Encoding: gzip. Usable from any thread.
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
  malformed,  // not gzip, truncated, or with trailing data
  tooLarge,   // larger than `most` bytes; the rest was not examined
};

// Inflates a body in slices. `compressed` must outlive it.
class GzipInflater {
 public:
  GzipInflater(std::string_view compressed, std::size_t most);
  ~GzipInflater();
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;
  GzipInflater(GzipInflater&&) = delete;
  GzipInflater& operator=(GzipInflater&&) = delete;

  // The size announced by the stream itself, at most `most`. It may be wrong.
  [[nodiscard]] std::size_t announced() const { return announced_; }
  // Inflates about `bytes` more. Returns true at the end. Must not be called after the end or a
  // fault.
  std::expected<bool, InflateFault> inflate(std::size_t bytes);
  [[nodiscard]] std::size_t size() const { return inflated_.size(); }
  // REQUIRES: inflate() has returned true.
  std::string take() { return std::move(inflated_); }

 private:
  std::size_t most_;
  std::size_t announced_;
  std::unique_ptr<z_stream_s> stream_;
  std::string inflated_;
};

// With maximum compression, which is slow.
std::string deflateGzip(std::string_view plain);

// Whether the client accepts gzip according to its Accept-Encoding, explicitly or by a wildcard,
// with a weight other than 0 (RFC 9110, 12.5.3). An entry that cannot be parsed does not count.
bool acceptsGzip(std::string_view acceptEncoding);

}  // namespace auth_errors::controllers
