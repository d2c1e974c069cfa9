// Secrets and harmless shapes that an organisation configures, for the scrubber. RE2 takes linear
// time and bounded memory whatever the pattern, and a search looks a bounded way ahead, so a text
// is read in linear time however often a pattern matches. Immutable: any thread.
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
// A match that is known only by its end may be as long as this.
inline constexpr std::size_t kMaxPatternLookahead = 4'096;

enum class PatternList : std::uint8_t { secrets, allowed };

struct PatternProblem {
  PatternList list;
  std::string pattern;  // empty if it is about the whole list
  std::string reason;   // "pattern 3 …", counted from 1
};

class OrganisationPatterns final : public domain::ScrubPatterns {
 public:
  // Where a secret's pattern has groups, the first one alone is the secret. Tells all problems at
  // once: what RE2 does not take, and what would redact or allow far more than anyone means. Null
  // if both lists are empty.
  static std::expected<std::shared_ptr<const OrganisationPatterns>, std::vector<PatternProblem>>
  make(const std::vector<std::string>& secrets, const std::vector<std::string>& allowed);

  ~OrganisationPatterns() override;
  OrganisationPatterns(const OrganisationPatterns&) = delete;
  OrganisationPatterns& operator=(const OrganisationPatterns&) = delete;
  OrganisationPatterns(OrganisationPatterns&&) = delete;
  OrganisationPatterns& operator=(OrganisationPatterns&&) = delete;

  // Of a match that holds markers, the first part outside them: the scrubber asks again until
  // nothing but markers is left.
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
