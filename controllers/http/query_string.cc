#include "controllers/http/query_string.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <optional>
#include <utility>

#include "domain/values/hex.h"
#include "domain/values/utf8.h"

namespace auth_errors::controllers {
namespace {

// More than any route has; each unknown parameter would add a line to the response.
constexpr std::size_t kMaxFields = 32;
constexpr std::size_t kMaxNameCodePoints = 64;
// Name of the whole query in problems that cannot name a field.
constexpr std::string_view kQuery = "query";

std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    const auto high = digits.size() == 2 ? domain::hexDigit(digits[0]) : std::nullopt;
    const auto low = digits.size() == 2 ? domain::hexDigit(digits[1]) : std::nullopt;
    if (!high || !low) {
      return std::nullopt;
    }
    decoded += static_cast<char>((*high << 4U) | *low);
    at += 2;
  }
  return domain::isValidUtf8(decoded) ? std::optional(std::move(decoded)) : std::nullopt;
}

class Parser {
 public:
  ParsedQuery parse(std::string_view query) {
    for (std::size_t count = 0; !query.empty();) {
      const auto end = std::min(query.find('&'), query.size());
      const std::string_view pair = query.substr(0, end);
      query.remove_prefix(std::min(end + 1, query.size()));
      if (pair.empty()) {
        continue;
      }
      if (++count > kMaxFields) {
        problem(kQuery, "too_many", std::format("must have at most {} parameters", kMaxFields));
        break;
      }
      take(pair);
    }
    return std::move(parsed_);
  }

 private:
  void take(std::string_view pair) {
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals));
    if (!name || domain::countCodePoints(*name) > kMaxNameCodePoints) {
      problem(kQuery, "malformed",
              name ? "has a parameter whose name is too long"
                   : "has a parameter whose name is not percent-encoded UTF-8");
      return;
    }
    if (std::ranges::contains(seen_, *name)) {
      if (!std::ranges::contains(parsed_.problems, *name, &FieldError::field)) {
        problem(*name, "repeated", "must not be repeated");
      }
      return;
    }
    seen_.push_back(*name);
    auto value = decode(pair.substr(std::min(equals + 1, pair.size())));
    if (!value) {
      problem(*name, "malformed", "is not percent-encoded UTF-8");
      return;
    }
    parsed_.fields.push_back({.name = *std::move(name), .value = *std::move(value)});
  }

  void problem(std::string_view field, std::string_view code, std::string message) {
    parsed_.problems.push_back(
        {.field = std::string(field), .code = std::string(code), .message = std::move(message)});
  }

  ParsedQuery parsed_;
  std::vector<std::string> seen_;
};

}  // namespace

ParsedQuery parseQueryString(std::string_view query) { return Parser().parse(query); }

}  // namespace auth_errors::controllers
