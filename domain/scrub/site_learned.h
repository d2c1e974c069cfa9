// Combined score of a value's appearance and the words around it, for values that no single rule
// decides: the sum of weights learned from the open half of the corpus (`./dev learn`, decision 9).
// An immutable table and pure functions: any thread; linear in the value, and a bounded number of
// neighbours is examined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "domain/scrub/line.h"
#include "domain/scrub/weights.h"

namespace auth_errors::domain {

class Features {
 public:
  // Features beyond the capacity are dropped.
  void add(Feature feature) {
    if (count_ < features_.size()) {
      features_[count_++] = feature;
    }
  }

  [[nodiscard]] std::span<const Feature> all() const { return {features_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 64;

  std::array<Feature, kMost> features_{};
  std::size_t count_ = 0;
};

// The features of the value that begins with token `i`.
void readFeatures(const Line& line, std::size_t i, const Site& site, Features& features);

// The logarithm of the odds that the value is a secret, in units of kScoreUnit.
int learnedScore(const Line& line, std::size_t i, const Site& site);

}  // namespace auth_errors::domain
