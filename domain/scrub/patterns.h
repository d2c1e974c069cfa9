// An organisation's additions to the built-in rules: its own secrets, and shapes that are harmless
// there. Implemented outside the domain by a linear-time matcher.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

struct TextSpan {
  std::size_t begin;
  std::size_t end;  // one past the last byte
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

  // The first secret that begins at or after `from`.
  [[nodiscard]] virtual std::optional<TextSpan> nextSecret(std::string_view text,
                                                           std::size_t from) const = 0;
  // True if the whole token has a shape that is harmless. Applies only to tokens that would
  // otherwise be redacted for their appearance alone: labelled values and known key formats stay
  // secrets.
  [[nodiscard]] virtual bool allows(std::string_view token) const = 0;
  // 12 hexadecimal digits that differ between any two sets of patterns.
  [[nodiscard]] virtual std::string_view digest() const = 0;
};

// Null removes the patterns.
// REQUIRES: no other thread is scrubbing yet.
void setScrubPatterns(std::shared_ptr<const ScrubPatterns> patterns);
// Null without patterns.
const ScrubPatterns* scrubPatterns();

}  // namespace auth_errors::domain
