#include "platform/messaging/message.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace auth_errors::messaging {
namespace {

const HeaderValue* find(const Headers& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [name](const auto& header) { return header.first == name; });
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<std::string> Message::text(std::string_view header) const {
  const HeaderValue* value = find(headers, header);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (const auto* words = std::get_if<std::string>(value)) {
    return *words;
  }
  if (const auto* number = std::get_if<std::int64_t>(value)) {
    return std::to_string(*number);
  }
  return std::nullopt;
}

std::optional<std::int64_t> Message::integer(std::string_view header) const {
  const HeaderValue* value = find(headers, header);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (const auto* number = std::get_if<std::int64_t>(value)) {
    return *number;
  }
  if (const auto* words = std::get_if<std::string>(value)) {
    std::int64_t number = 0;
    const char* end = words->data() + words->size();
    const auto parsed = std::from_chars(words->data(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace auth_errors::messaging
