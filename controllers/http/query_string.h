// Parses query strings strictly: percent-decoding, '+' for a blank, valid UTF-8. Nothing is dropped
// or guessed: malformed or repeated parameters are problems. Pure; usable from any thread. Drogon's
// own parser drops repeated names and accepts invalid escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/problem.h"

namespace auth_errors::controllers {

// Maximum length of a search text.
inline constexpr std::size_t kMaxTextCodePoints = 200;

struct QueryField {
  std::string name;
  std::string value;
};

struct ParsedQuery {
  std::vector<QueryField> fields;  // each name once
  std::vector<FieldError> problems;
};

ParsedQuery parseQueryString(std::string_view query);

}  // namespace auth_errors::controllers
