// What an organisation adds to the built-in rules: secrets of its own, and shapes that it knows to
// be harmless. Implemented outside the domain, by a matcher that takes linear time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

struct TextSpan {
  std::size_t begin;
  std::size_t end;  // past begin
};

// Immutable: any thread.
class ScrubPatterns {
 public:
  ScrubPatterns() = default;
  virtual ~ScrubPatterns() = default;
  ScrubPatterns(const ScrubPatterns&) = delete;
  ScrubPatterns& operator=(const ScrubPatterns&) = delete;
  ScrubPatterns(ScrubPatterns&&) = delete;
  ScrubPatterns& operator=(ScrubPatterns&&) = delete;

  // The first secret that begins at `from` or behind it.
  [[nodiscard]] virtual std::optional<TextSpan> nextSecret(std::string_view text,
                                                           std::size_t from) const = 0;
  // Whether the whole token has a shape that is known to be harmless. Asked only about what would
  // otherwise be redacted for its looks alone: labelled values and known key formats stay secrets.
  [[nodiscard]] virtual bool allows(std::string_view token) const = 0;
  // Differs between any two sets of patterns: 12 hexadecimal digits.
  [[nodiscard]] virtual std::string_view digest() const = 0;
};

// REQUIRES: no other thread scrubs yet. Null takes the patterns away.
void setScrubPatterns(std::shared_ptr<const ScrubPatterns> patterns);
// Null if there are none.
const ScrubPatterns* scrubPatterns();

}  // namespace auth_errors::domain
