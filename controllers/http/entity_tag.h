// If-None-Match (RFC 9110, 13.1.2). A pure function; usable from any thread.
#pragma once

#include <algorithm>
#include <string_view>

#include "domain/values/ascii.h"

namespace auth_errors::controllers {

// Whether the header's value contains `tag`, a strong tag with its quotes. Tags are compared
// weakly; ours contain no comma, so the list can be split at commas.
inline bool matchesEntityTag(std::string_view ifNoneMatch, std::string_view tag) {
  if (domain::trimmed(ifNoneMatch, domain::kBlanks) == "*") {
    return true;
  }
  while (!ifNoneMatch.empty()) {
    const auto end = std::min(ifNoneMatch.find(','), ifNoneMatch.size());
    std::string_view entry = domain::trimmed(ifNoneMatch.substr(0, end), domain::kBlanks);
    if (entry.starts_with("W/")) {
      entry.remove_prefix(2);
    }
    if (entry == tag) {
      return true;
    }
    ifNoneMatch.remove_prefix(std::min(end + 1, ifNoneMatch.size()));
  }
  return false;
}

}  // namespace auth_errors::controllers
