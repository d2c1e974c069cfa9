// Where a page of a list ended: an opaque text that a client hands back to get the next one. Pure;
// any thread. Every text is either exactly one position of one list or none; no position leads to
// an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"

namespace auth_errors::controllers {

// The number is the first byte of the list's cursors, so that none is taken for another list's.
enum class PagedList : std::uint8_t {
  authErrors = 1,
  clusters = 2,
  deadLetters = 3,
  jobs = 4,
  keys = 5,
  rules = 6,
};

// Of the list of clusters, which is sorted by something else than the id.
struct SortedPosition {
  std::uint8_t sort = 0;   // which order, in the list's own numbering
  std::int64_t value = 0;  // what the last item is sorted by
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
