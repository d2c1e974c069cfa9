// What the look of a value and the words around it say together, where no single rule decides: the
// sum of weights that were learned from the open half of the corpus (`./dev learn`, decision 9).
// An immutable table and pure functions: any thread; linear in the value, and what is looked at
// around it is bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"
#include "domain/scrub/weights.h"

namespace auth_errors::domain {

class Features {
 public:
  // What is too many is left out.
  void add(Feature feature) {
    if (count_ < features_.size()) {
      features_[count_++] = feature;
    }
  }

  [[nodiscard]] std::span<const Feature> all() const { return {features_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 112;

  std::array<Feature, kMost> features_{};
  std::size_t count_ = 0;
};

// The features of the value that begins with token `i`; `rule` is what the rules take it for.
void readFeatures(const Line& line, std::size_t i, const Site& site,
                  std::optional<RedactionKind> rule, Features& features);

// The logarithm of the odds that the value is a secret, in units of kScoreUnit.
int learnedScore(const Line& line, std::size_t i, const Site& site,
                 std::optional<RedactionKind> rule);

}  // namespace auth_errors::domain
