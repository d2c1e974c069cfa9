// Cursors of paged lists: opaque texts for the position where a page ended. Pure; usable from any
// thread. Every text is either exactly one position of one list or invalid; no position causes an
// error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"

namespace auth_errors::controllers {

// The number is the first byte of the list's cursors, so that cursors of different lists differ.
enum class PagedList : std::uint8_t {
  authErrors = 1,
  clusters = 2,
  deadLetters = 3,
  jobs = 4,
  keys = 5,
  rules = 6,
};

// A position in the list of clusters, which is not sorted by id.
struct SortedPosition {
  std::uint8_t sort = 0;   // the sort order, as numbered by the list
  std::int64_t value = 0;  // the last item's sort value
  domain::ClusterId id;    // greater than 0

  bool operator==(const SortedPosition&) const = default;
};

// `lastId` is the id of the page's last item, and greater than 0.
std::string encodeCursor(PagedList list, std::int64_t lastId);
template <typename Tag>
std::string encodeCursor(PagedList list, domain::Id<Tag> lastId) {
  return encodeCursor(list, lastId.value());
}
std::optional<std::int64_t> decodeCursor(PagedList list, std::string_view text);

std::string encodeCursor(const SortedPosition& last);
std::optional<SortedPosition> decodeSortedCursor(std::string_view text);

}  // namespace auth_errors::controllers
