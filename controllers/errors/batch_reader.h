// Cuts the body of a batch into the texts of its entries, without decoding them: an entry that is
// not valid JSON, or not valid UTF-8, then fails alone. Pure functions over views: any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::controllers {

// Errors in one request.
inline constexpr std::size_t kMaxBatchEntries = 500;

// The elements of a JSON array. The error says what keeps the text from being one. Stops beyond
// `most` elements: the result then has one more.
std::expected<std::vector<std::string_view>, std::string> splitJsonArray(std::string_view text,
                                                                         std::size_t most);

// The lines of NDJSON that are not blank, at most `most` and one more.
std::vector<std::string_view> splitLines(std::string_view text, std::size_t most);

}  // namespace auth_errors::controllers
