#include "platform/hashing/digest.h"

#include <cstddef>
#include <span>

#include <gtest/gtest.h>

#include "domain/values/hex.h"

namespace auth_errors::hashing {
namespace {

// RFC 4231, test case 2, and the SHA-256 of the empty text.
TEST(Digest, MatchesTheStandardTestVectors) {
  EXPECT_EQ(domain::toHex(HmacSha256("Jefe").of("what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(domain::toHex(sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const auto bytes = std::as_bytes(std::span("\xfb\xff\xfe", 3));
  EXPECT_EQ(toBase64Url(bytes), "-__-");
  EXPECT_EQ(toBase64Url(bytes.first(2)), "-_8");
  EXPECT_EQ(toBase64Url(bytes.first(1)), "-w");
}

TEST(Digest, ComparesCompleteContents) {
  EXPECT_TRUE(equalInConstantTime(sha256("a"), sha256("a")));
  EXPECT_FALSE(equalInConstantTime(sha256("a"), sha256("b")));
  EXPECT_FALSE(equalInConstantTime(sha256("a"), std::span<const std::byte>{}));
}

}  // namespace
}  // namespace auth_errors::hashing
