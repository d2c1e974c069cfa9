#include "controllers/content_encoding.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include <zlib.h>

#include "controllers/routes.h"
#include "controllers/trimmed.h"

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

// Takes the part up to `separator` off the front.
std::string_view takePart(std::string_view& list, char separator) {
  const auto end = std::min(list.find(separator), list.size());
  const std::string_view part = trimmed(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

// "0", "0.", "0.0" and so on; whatever else a weight may be, it is more.
bool isZeroWeight(std::string_view parameter) {
  if (parameter.size() < 3 || !equalsIgnoringCase(parameter.substr(0, 2), "q=")) {
    return false;
  }
  return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

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

std::string deflateGzip(std::string_view plain) {
  z_stream stream{};
  constexpr int kMemoryLevel = 9;
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string compressed(::deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  // With room for all of it, once is enough.
  ::deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return compressed;
}

bool acceptsGzip(std::string_view acceptEncoding) {
  std::optional<bool> byName;
  bool byWildcard = false;
  while (!acceptEncoding.empty()) {
    std::string_view entry = takePart(acceptEncoding, ',');
    const std::string_view coding = takePart(entry, ';');
    bool accepted = true;
    while (!entry.empty()) {
      accepted = accepted && !isZeroWeight(takePart(entry, ';'));
    }
    if (equalsIgnoringCase(coding, "gzip") || equalsIgnoringCase(coding, "x-gzip")) {
      byName = accepted;
    } else if (coding == "*") {
      byWildcard = accepted;
    }
  }
  return byName.value_or(byWildcard);
}

}  // namespace auth_errors::controllers
