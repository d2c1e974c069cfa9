// Splits the body of a batch into the texts of its entries without decoding them, so that an entry
// that is not valid JSON, or not valid UTF-8, fails alone. Pure functions on views; usable from any
// thread.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::controllers {

// Maximum number of errors in one request.
inline constexpr std::size_t kMaxBatchEntries = 500;

// The elements of a JSON array, or why the text is not one. Stops beyond `most` elements: the
// result then has one more.
std::expected<std::vector<std::string_view>, std::string> splitJsonArray(std::string_view text,
                                                                         std::size_t most);

// The non-blank lines of NDJSON, up to one more than `most`.
std::vector<std::string_view> splitLines(std::string_view text, std::size_t most);

}  // namespace auth_errors::controllers
