#include "controllers/http/content_encoding.h"

#include <algorithm>
#include <new>
#include <optional>

#include <zlib.h>

#include "controllers/routes.h"
#include "domain/values/ascii.h"

namespace auth_errors::controllers {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

// The last four bytes of a gzip stream: the size of its content, little-endian.
std::size_t announcedSize(std::string_view compressed) {
  constexpr std::size_t kTrailer = 4;
  if (compressed.size() < kTrailer) {
    return 0;
  }
  std::size_t size = 0;
  for (std::size_t back = 1; back <= kTrailer; ++back) {
    size = size * 256 + static_cast<unsigned char>(compressed[compressed.size() - back]);
  }
  return size;
}

// Removes and returns the part up to `separator`.
std::string_view takePart(std::string_view& list, char separator) {
  const auto end = std::min(list.find(separator), list.size());
  const std::string_view part = domain::trimmed(list.substr(0, end), domain::kBlanks);
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

// "0", "0.", "0.0" and so on; any other weight is greater.
bool isZeroWeight(std::string_view parameter) {
  if (parameter.size() < 3 || !domain::equalsWord(parameter.substr(0, 2), "q=")) {
    return false;
  }
  return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

GzipInflater::GzipInflater(std::string_view compressed, std::size_t most)
    : most_(most),
      announced_(std::min(announcedSize(compressed), most)),
      stream_(std::make_unique<z_stream>()) {
  if (::inflateInit2(stream_.get(), kGzipOnly) != Z_OK) {
    throw std::bad_alloc();
  }
  // zlib does not write through the pointer; its interface predates const.
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // NOLINT
  stream_->avail_in = static_cast<uInt>(compressed.size());
}

GzipInflater::~GzipInflater() { ::inflateEnd(stream_.get()); }

std::expected<bool, InflateFault> GzipInflater::inflate(std::size_t bytes) {
  // One more, as below; a growing buffer could take up to twice as much.
  inflated_.reserve(announced_ + 1);
  const std::size_t have = inflated_.size();
  // One byte more than allowed, so that a body of exactly the maximum size is not refused.
  const std::size_t room = std::min(bytes, most_ + 1 - have);
  inflated_.resize(have + room);
  stream_->next_out = reinterpret_cast<Bytef*>(inflated_.data() + have);
  stream_->avail_out = static_cast<uInt>(room);
  const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
  inflated_.resize(stream_->total_out);
  if (inflated_.size() > most_) {
    return std::unexpected(InflateFault::tooLarge);
  }
  const bool whole = status == Z_STREAM_END;
  const bool stuck = stream_->avail_in == 0 && stream_->avail_out > 0;
  if (whole ? stream_->avail_in > 0 : status != Z_OK || stuck) {
    return std::unexpected(InflateFault::malformed);
  }
  return whole;
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
  // With room for the whole output, one call is enough.
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
    if (domain::equalsWord(coding, "gzip") || domain::equalsWord(coding, "x-gzip")) {
      byName = accepted;
    } else if (coding == "*") {
      byWildcard = accepted;
    }
  }
  return byName.value_or(byWildcard);
}

}  // namespace auth_errors::controllers
