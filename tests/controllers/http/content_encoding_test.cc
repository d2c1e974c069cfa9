#include "controllers/http/content_encoding.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/gzip.h"

namespace auth_errors::controllers {
namespace {

using tests::gzip;

// Inflates in steps of any size with the same result.
std::expected<std::string, InflateFault> inflateGzip(std::string_view compressed,
                                                     std::size_t most) {
  std::optional<std::expected<std::string, InflateFault>> result;
  for (const std::size_t step : {std::size_t{1'000}, std::size_t{1} << 20U}) {
    GzipInflater inflater(compressed, most);
    std::expected<bool, InflateFault> whole = false;
    while (whole && !*whole) {
      whole = inflater.inflate(step);
      EXPECT_LE(inflater.size(), most + 1);
    }
    const auto inflated = whole ? std::expected<std::string, InflateFault>(inflater.take())
                                : std::unexpected(whole.error());
    EXPECT_EQ(inflated, result.value_or(inflated));
    result = inflated;
  }
  return *result;
}

TEST(ContentEncoding, InflatesExactlyUpToTheLimit) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(inflateGzip(gzip(text), 100'000), text);
  EXPECT_EQ(inflateGzip(gzip(text), 200'000), text);
  EXPECT_EQ(inflateGzip(gzip(text), 99'999).error(), InflateFault::tooLarge);
  EXPECT_EQ(inflateGzip(gzip(""), 10), "");
}

TEST(ContentEncoding, PredictsTheInflatedSize) {
  EXPECT_EQ(GzipInflater(gzip(std::string(100'000, 'x')), 1'000'000).announced(), 100'000U);
  EXPECT_EQ(GzipInflater(gzip(std::string(100'000, 'x')), 1'000).announced(), 1'000U);
  EXPECT_EQ(GzipInflater(gzip(""), 1'000).announced(), 0U);
  EXPECT_EQ(GzipInflater("abc", 1'000).announced(), 0U);
}

TEST(ContentEncoding, StopsAZipBombAtTheLimit) {
  const std::string bomb = gzip(std::string(std::size_t{64} << 20U, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  EXPECT_EQ(inflateGzip(bomb, 1U << 20U).error(), InflateFault::tooLarge);
}

TEST(ContentEncoding, RefusesAnythingButOneCompleteGzipStream) {
  const std::string whole = gzip("{\"a\":1}");
  EXPECT_EQ(inflateGzip("", 100).error(), InflateFault::malformed);
  EXPECT_EQ(inflateGzip("{\"a\":1}", 100).error(), InflateFault::malformed);
  EXPECT_EQ(inflateGzip(whole + "x", 100).error(), InflateFault::malformed);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(inflateGzip(whole.substr(0, length), 100).error(), InflateFault::malformed) << length;
  }
  std::string broken = whole;
  broken.at(broken.size() - 5) ^= 1;
  EXPECT_EQ(inflateGzip(broken, 100).error(), InflateFault::malformed);
}

TEST(ContentEncoding, RoundTripsThroughDeflate) {
  std::string text;
  for (int line = 0; line < 1'000; ++line) {
    text += "{\"line\": " + std::to_string(line) + "}\n";
  }
  for (const std::string& plain : {std::string(), std::string("x"), text}) {
    EXPECT_EQ(inflateGzip(deflateGzip(plain), text.size()), plain);
  }
  EXPECT_LT(deflateGzip(text).size(), text.size() / 4);
}

TEST(ContentEncoding, IsAcceptedByNameOrWildcardUnlessItsWeightIsZero) {
  for (const char* header : {"gzip", "GZip", "x-gzip", "br, gzip", "gzip;q=0.5, br", "gzip ; q=1",
                             "*", "identity;q=0, *", "gzip;q=0.001", "*;q=0, gzip", "gzip;q=x"}) {
    EXPECT_TRUE(acceptsGzip(header)) << header;
  }
  for (const char* header : {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "gzip;Q=0", "*;q=0",
                             "*, gzip;q=0", "gzipped", "gzip x", ",", ";q=1"}) {
    EXPECT_FALSE(acceptsGzip(header)) << header;
  }
}

}  // namespace
}  // namespace auth_errors::controllers
