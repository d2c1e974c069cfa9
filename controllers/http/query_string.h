// The query of an address, strictly: percent-decoding, '+' for a blank, valid UTF-8. Nothing is
// dropped or guessed: what is malformed or repeated is a problem. Pure; any thread. Drogon's own
// parser keeps one of several equal names and passes bad escapes on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/problem.h"

namespace auth_errors::controllers {

// Limit of a free text to search for.
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
