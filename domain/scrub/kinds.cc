#include "domain/scrub/kinds.h"

#include <algorithm>
#include <numeric>

namespace auth_errors::domain {

namespace {
constexpr std::string_view kOpening = "[redacted:";

constexpr std::size_t kLongestMarker =
    std::ranges::max(kRedactionKinds, {}, [](const RedactionKindRow& row) {
      return row.marker.size();
    }).marker.size();
}  // namespace

std::size_t markerLengthAt(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.empty() || rest.front() != kOpening.front() || !rest.starts_with(kOpening)) {
    return 0;
  }
  const char first = kOpening.size() < rest.size() ? rest[kOpening.size()] : '\0';
  for (const RedactionKindRow& row : kRedactionKinds) {
    if (row.marker[kOpening.size()] == first && rest.starts_with(row.marker)) {
      return row.marker.size();
    }
  }
  return 0;
}

std::size_t nextMarker(std::string_view text, std::size_t from) {
  std::size_t at = text.find(kOpening, from);
  while (at != std::string_view::npos && markerLengthAt(text, at) == 0) {
    at = text.find(kOpening, at + 1);
  }
  return at;
}

std::size_t cutBeforeMarker(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return at;
  }
  const std::size_t near = at - std::min(at, kLongestMarker);
  const std::size_t open = text.substr(near, at - near).rfind('[');
  if (open != std::string_view::npos && near + open + markerLengthAt(text, near + open) > at) {
    return near + open;
  }
  return at;
}

void RedactionCounts::add(const RedactionCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
}

std::uint32_t RedactionCounts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint32_t{0});
}

}  // namespace auth_errors::domain
