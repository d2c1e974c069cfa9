#include "controllers/content_encoding.h"

#include <algorithm>
#include <limits>
#include <new>

#include <zlib.h>

namespace auth_errors::controllers {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kFirstGuess = std::size_t{16} * 1024;

class Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream_, kGzipOnly) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  Inflater(Inflater&&) = delete;
  Inflater& operator=(Inflater&&) = delete;

  z_stream& operator*() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

std::expected<std::string, InflateFault> inflateGzip(std::string_view compressed,
                                                     std::size_t most) {
  if (compressed.size() > std::numeric_limits<uInt>::max()) {
    return std::unexpected(InflateFault::tooLarge);
  }
  Inflater inflater;
  z_stream& stream = *inflater;
  // zlib does not write through it; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string inflated;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const std::size_t have = stream.total_out;
    // One byte more than may come out, so that a body of just that size is not taken for larger.
    if (have > most) {
      return std::unexpected(InflateFault::tooLarge);
    }
    const std::size_t room = std::min(std::max(2 * have, kFirstGuess), most + 1) - have;
    inflated.resize(have + room);
    stream.next_out = reinterpret_cast<Bytef*>(inflated.data() + have);
    stream.avail_out = static_cast<uInt>(room);
    status = ::inflate(&stream, Z_NO_FLUSH);
    const bool stuck = stream.avail_in == 0 && stream.avail_out > 0;
    if (status != Z_STREAM_END && (status != Z_OK || stuck)) {
      return std::unexpected(InflateFault::malformed);
    }
  }
  if (stream.avail_in > 0) {
    return std::unexpected(InflateFault::malformed);
  }
  if (stream.total_out > most) {
    return std::unexpected(InflateFault::tooLarge);
  }
  inflated.resize(stream.total_out);
  return inflated;
}

}  // namespace auth_errors::controllers
