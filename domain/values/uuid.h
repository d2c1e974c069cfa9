// UUIDs as text: 8-4-4-4-12 hexadecimal digits. Pure; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/values/hex.h"

namespace auth_errors::domain {

// In lower case, as the database writes it; nothing if the text is not a UUID.
inline std::optional<std::string> uuidFrom(std::string_view text) {
  static constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  std::string uuid(text);
  std::ranges::transform(uuid, uuid.begin(), toLower);
  const bool fits = std::ranges::equal(
      uuid, kForm, [](char c, char form) { return form == '-' ? c == '-' : isLowerHex(c); });
  return fits ? std::optional(std::move(uuid)) : std::nullopt;
}

}  // namespace auth_errors::domain
