// An organisation's configured patterns of secrets and of harmless tokens, for the scrubber. RE2
// takes linear time and bounded memory for any pattern, and a search looks ahead a bounded
// distance, so a text is scanned in linear time however often a pattern matches. Immutable; usable
// from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/scrub/patterns.h"

namespace re2 {
class RE2;
}

namespace auth_errors::security {

inline constexpr std::size_t kMaxPatterns = 100;  // in each of the two lists
inline constexpr std::size_t kMaxPatternBytes = 1'000;
// The maximum length of a match that is only recognised by its end.
inline constexpr std::size_t kMaxPatternLookahead = 4'096;

enum class PatternList : std::uint8_t { secrets, allowed };

struct PatternProblem {
  PatternList list;
  std::string pattern;  // empty if it concerns the whole list
  std::string reason;   // "pattern 3 …", counted from 1
};

class OrganisationPatterns final : public domain::ScrubPatterns {
 public:
  // If a secret's pattern has groups, only the first group is the secret. Reports all problems at
  // once: what RE2 does not accept, and what would redact or allow far too much. Null if both lists
  // are empty.
  static std::expected<std::shared_ptr<const OrganisationPatterns>, std::vector<PatternProblem>>
  make(const std::vector<std::string>& secrets, const std::vector<std::string>& allowed);

  ~OrganisationPatterns() override;
  OrganisationPatterns(const OrganisationPatterns&) = delete;
  OrganisationPatterns& operator=(const OrganisationPatterns&) = delete;
  OrganisationPatterns(OrganisationPatterns&&) = delete;
  OrganisationPatterns& operator=(OrganisationPatterns&&) = delete;

  // If a match contains markers, the first part outside them: the scrubber repeats the search until
  // only markers are left.
  [[nodiscard]] std::optional<domain::TextSpan> nextSecret(std::string_view text,
                                                           std::size_t from) const override;
  [[nodiscard]] bool allows(std::string_view token) const override;
  [[nodiscard]] std::string_view digest() const override { return digest_; }

 private:
  using Pattern = std::unique_ptr<const re2::RE2>;

  OrganisationPatterns(std::vector<Pattern> secrets, Pattern anySecret, Pattern anyAllowed,
                       std::string digest);

  [[nodiscard]] std::optional<domain::TextSpan> nextMatch(std::string_view text,
                                                          std::size_t from) const;
  [[nodiscard]] domain::TextSpan secretIn(std::string_view text, domain::TextSpan match) const;

  std::vector<Pattern> secrets_;  // empty if none has a group
  Pattern anySecret_;             // null: none
  Pattern anyAllowed_;            // null: none
  std::string digest_;
};

}  // namespace auth_errors::security
