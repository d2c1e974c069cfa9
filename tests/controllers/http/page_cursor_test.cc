#include "controllers/http/page_cursor.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "platform/hashing/digest.h"

namespace auth_errors::controllers {
namespace {

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();

TEST(PageCursor, RoundTripsAnId) {
  for (const std::int64_t id :
       {std::int64_t{1}, std::int64_t{255}, std::int64_t{256}, std::int64_t{1} << 40U, kLargest}) {
    EXPECT_EQ(decodeCursor(PagedList::jobs, encodeCursor(PagedList::jobs, id)), id);
  }
}

TEST(PageCursor, NeedsNoEscapingInAUrl) {
  EXPECT_EQ(encodeCursor(PagedList::rules, kLargest).find_first_of("+/=%&"), std::string::npos);
}

TEST(PageCursor, RefusesInvalidText) {
  const std::string good = encodeCursor(PagedList::authErrors, 42);
  for (const std::string& text :
       {std::string(), std::string("42"), good + "A", good.substr(1), good + "=", " " + good,
        std::string("AAAAAAAAAAAA"), std::string("AQAAAAAAAAAA"), std::string("AgAAAAAAAAAq"),
        std::string("Af__________"), std::string("AQAAAAAAAA+/"), std::string(100'000, 'A')}) {
    EXPECT_EQ(decodeCursor(PagedList::authErrors, text), std::nullopt) << text.substr(0, 40);
  }
}

TEST(PageCursor, RefusesCursorsOfOtherLists) {
  const std::string errorsCursor = encodeCursor(PagedList::authErrors, 42);
  for (const PagedList list : {PagedList::clusters, PagedList::deadLetters, PagedList::jobs,
                               PagedList::keys, PagedList::rules}) {
    EXPECT_EQ(decodeCursor(list, errorsCursor), std::nullopt);
  }
}

TEST(SortedCursor, RoundTripsAPosition) {
  for (const SortedPosition& position :
       {SortedPosition{.sort = 0, .value = 0, .id = domain::ClusterId(1)},
        SortedPosition{.sort = 2, .value = 1'790'000'000'000'000, .id = domain::ClusterId(70'000)},
        SortedPosition{.sort = 255,
                       .value = std::numeric_limits<std::int64_t>::min(),
                       .id = domain::ClusterId(1)},
        SortedPosition{.sort = 1, .value = -1, .id = domain::ClusterId(kLargest)}}) {
    EXPECT_EQ(decodeSortedCursor(encodeCursor(position)), position);
  }
}

TEST(SortedCursor, RefusesInvalidText) {
  const std::string good =
      encodeCursor(SortedPosition{.sort = 1, .value = 7, .id = domain::ClusterId(42)});
  for (const std::string& text :
       {std::string(), good + "A", good.substr(4), "B" + good.substr(1),
        encodeCursor(PagedList::clusters, 42),
        encodeCursor(SortedPosition{.sort = 1, .value = 7, .id = domain::ClusterId(0)}),
        encodeCursor(SortedPosition{.sort = 1, .value = 7, .id = domain::ClusterId(-1)})}) {
    EXPECT_EQ(decodeSortedCursor(text), std::nullopt) << text;
  }
  EXPECT_EQ(decodeCursor(PagedList::clusters, good), std::nullopt);
}

TEST(Base64Url, IsDecodedOnlyInItsCanonicalForm) {
  for (const char* text : {"", "AA", "AAA", "AAAA", "_-8"}) {
    const auto bytes = hashing::fromBase64Url(text);
    ASSERT_TRUE(bytes) << text;
    EXPECT_EQ(hashing::toBase64Url(*bytes), text);
  }
  for (const char* text : {"A", "AB", "AAB", "AAAAA", "A=", "AA==", "+A", "A A"}) {
    EXPECT_FALSE(hashing::fromBase64Url(text)) << text;
  }
}

}  // namespace
}  // namespace auth_errors::controllers
