// Every table but auth_error that holds texts of others, and what the current scrubber makes of
// them. Constants and pure functions; any thread.
//
// These tables are small beside the errors, and know no scrubber's version: each job walks through
// all of them. A column for it would be written by a dozen statements to save a minute of one job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace auth_errors::rescrub {

enum class TextShape : std::uint8_t {
  sanitised,    // as at intake: the policy's whole order
  part,         // of a text, compared with others: secrets are replaced, nothing else is
  attempts,     // [{"error": …, …}]
  headers,      // {"name": value}
  fingerprint,  // {"classes": […], "frames": […], "message": …}
  body,         // "text:…" or "base64:…"
};

struct StoredText {
  std::string_view column;
  TextShape shape = TextShape::sanitised;
  std::size_t limit = 0;  // in code points, of what is sanitised
};

struct TextTable {
  // Part of a job's position: never given to another table.
  std::int64_t number = 0;
  std::string_view name;
  std::string_view key;           // a bigint with an index, by which the table is walked through
  std::string_view identity;      // tells apart rows of one key
  std::string_view identityType;  // in SQL
  std::span<const StoredText> texts;
  std::string_view alsoSet = {};  // besides the texts of a row that changes
};

// In the order in which they are scrubbed: what is copied to other tables stands before those.
std::span<const TextTable> textTables();

// Of the row `t`.
std::string storedSql(const StoredText& text);
std::string typeOf(const StoredText& text);
// Whether the row `t` has any text.
std::string hasTextSql(const TextTable& table);

// What the text becomes, in the form of storedSql() but for a body, which is then text; nothing if
// it stays as it is.
std::optional<std::string> rescrubbed(const StoredText& text, std::string_view stored);

}  // namespace auth_errors::rescrub
