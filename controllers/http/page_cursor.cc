#include "controllers/http/page_cursor.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "platform/hashing/digest.h"

namespace auth_errors::controllers {
namespace {

// The list, followed by big-endian numbers.
constexpr std::size_t kByIdBytes = 1 + sizeof(std::int64_t);
constexpr std::size_t kSortedBytes = 2 + 2 * sizeof(std::int64_t);

void append(std::vector<std::byte>& bytes, std::int64_t number) {
  for (std::size_t left = sizeof number; left > 0; --left) {
    bytes.push_back(
        static_cast<std::byte>((static_cast<std::uint64_t>(number) >> (8 * (left - 1))) & 0xFFU));
  }
}

std::int64_t numberAt(std::span<const std::byte> bytes, std::size_t first) {
  std::uint64_t number = 0;
  for (const std::byte byte : bytes.subspan(first, sizeof number)) {
    number = (number << 8U) | std::to_integer<std::uint64_t>(byte);
  }
  return static_cast<std::int64_t>(number);
}

// Empty if the text is not a cursor of this list.
std::vector<std::byte> bytesOf(std::string_view text, PagedList list, std::size_t size) {
  // Four characters encode three bytes; a longer text is not worth decoding.
  if (text.size() != size / 3 * 4) {
    return {};
  }
  auto bytes = hashing::fromBase64Url(text);
  if (!bytes || bytes->size() != size || bytes->front() != std::byte{std::to_underlying(list)}) {
    return {};
  }
  return {bytes->begin(), bytes->end()};
}

}  // namespace

std::string encodeCursor(PagedList list, std::int64_t lastId) {
  std::vector<std::byte> bytes{std::byte{std::to_underlying(list)}};
  append(bytes, lastId);
  return hashing::toBase64Url(bytes);
}

std::optional<std::int64_t> decodeCursor(PagedList list, std::string_view text) {
  const auto bytes = bytesOf(text, list, kByIdBytes);
  if (bytes.empty()) {
    return std::nullopt;
  }
  const std::int64_t id = numberAt(bytes, 1);
  return id > 0 ? std::optional(id) : std::nullopt;
}

std::string encodeCursor(const SortedPosition& last) {
  std::vector<std::byte> bytes{std::byte{std::to_underlying(PagedList::clusters)},
                               std::byte{last.sort}};
  append(bytes, last.value);
  append(bytes, last.id.value());
  return hashing::toBase64Url(bytes);
}

std::optional<SortedPosition> decodeSortedCursor(std::string_view text) {
  const auto bytes = bytesOf(text, PagedList::clusters, kSortedBytes);
  if (bytes.empty()) {
    return std::nullopt;
  }
  const SortedPosition last{.sort = std::to_integer<std::uint8_t>(bytes.at(1)),
                            .value = numberAt(bytes, 2),
                            .id = domain::ClusterId(numberAt(bytes, 2 + sizeof(std::int64_t)))};
  return last.id > domain::ClusterId() ? std::optional(last) : std::nullopt;
}

}  // namespace auth_errors::controllers
