// Every table other than auth_error that stores texts from clients or users, and how the current
// scrubber changes them. Constants and pure functions; usable from any thread.
//
// These tables are small compared with the errors and do not record a scrubber version: each job
// scans all of them. A version column would have to be written by a dozen statements to save a
// minute of one job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace auth_errors::rescrub {

enum class TextShape : std::uint8_t {
  sanitised,    // as in ingestion: all steps of the policy
  part,         // a substring to search for: only secrets are replaced
  attempts,     // [{"error": …, …}]
  headers,      // {"name": value}
  fingerprint,  // {"classes": […], "frames": […], "message": …}
  body,         // "text:…" or "base64:…"
};

struct StoredText {
  std::string_view column;
  TextShape shape = TextShape::sanitised;
  std::size_t limit = 0;  // in code points, for sanitised texts
};

struct TextTable {
  // Part of a job's position: never reused for another table.
  std::int64_t number = 0;
  std::string_view name;
  std::string_view key;           // an indexed bigint, by which the table is scanned
  std::string_view identity;      // distinguishes rows with the same key
  std::string_view identityType;  // its SQL type
  std::span<const StoredText> texts;
  std::string_view alsoSet = {};  // further assignments for rows that change
};

// In the order in which they are scrubbed: a table comes before those that copy its texts.
std::span<const TextTable> textTables();

// SQL expression for the text in row `t`.
std::string storedSql(const StoredText& text);
std::string typeOf(const StoredText& text);
// SQL condition: whether the row `t` has any text.
std::string hasTextSql(const TextTable& table);

// The scrubbed text, in the form of storedSql() except for a body, which is then text; nothing if
// it does not change.
std::optional<std::string> rescrubbed(const StoredText& text, std::string_view stored);

}  // namespace auth_errors::rescrub
