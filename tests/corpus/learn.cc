// Learns the weights of domain/scrub/weights.cc from a labelled corpus: logistic regression on the
// features of every value, with random features dropped each time so that none is relied on alone.
// Deterministic for a given corpus.
//
//     learn CORPUS… > domain/scrub/weights.cc
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <print>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/scrub/weights.h"
#include "tests/support/scrub_corpus.h"

namespace {

using namespace auth_errors::domain;
using auth_errors::tests::CorpusLine;
using auth_errors::tests::Example;

// The mean of several runs depends less on the order of the lines.
constexpr int kRuns = 5;
constexpr int kRounds = 12;
constexpr double kRate = 0.1;
constexpr double kDecay = 0.001;
constexpr unsigned kLeftOutOf100 = 20;
constexpr double kKept = 1 - kLeftOutOf100 / 100.0;
// Rarer features fit only the lines of this corpus.
constexpr int kMinOccurrences = 3;

struct Weighted {
  Feature feature;
  double weight;
};

// The learned features, numbered in order of appearance.
std::unordered_map<Feature, std::uint32_t> numbered(std::span<const Example> examples) {
  std::unordered_map<Feature, int> counts;
  std::unordered_map<Feature, std::uint32_t> numbers;
  for (const Example& example : examples) {
    for (const Feature feature : example.features) {
      if (++counts[feature] == kMinOccurrences) {
        numbers.emplace(feature, static_cast<std::uint32_t>(numbers.size()));
      }
    }
  }
  return numbers;
}

class Learner {
 public:
  explicit Learner(std::span<const Example> examples)
      : numbers_(numbered(examples)),
        weights_(numbers_.size()),
        squares_(numbers_.size()),
        means_(numbers_.size()) {
    for (const Example& example : examples) {
      Row& row = rows_.emplace_back();
      row.secret = example.secret;
      for (const Feature feature : example.features) {
        if (const auto number = numbers_.find(feature); number != numbers_.end()) {
          row.numbers.push_back(number->second);
        }
      }
    }
  }

  void run() {
    for (int run = 0; run < kRuns; ++run) {
      std::ranges::fill(weights_, 0);
      std::ranges::fill(squares_, kFirstSquare);
      for (int round = 0; round < kRounds; ++round) {
        // Like std::shuffle, which differs between libraries.
        for (std::size_t i = rows_.size(); i > 1; --i) {
          std::swap(rows_[i - 1], rows_[random_() % i]);
        }
        for (const Row& row : rows_) {
          learn(row);
        }
      }
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        means_[i] += weights_[i] / kRuns;
      }
    }
  }

  // Ordered by hash, so that the order does not depend on the library.
  [[nodiscard]] std::vector<Weighted> result() const {
    std::vector<Weighted> all;
    for (const auto& [feature, number] : numbers_) {
      all.push_back({.feature = feature, .weight = means_[number]});
    }
    std::ranges::sort(all, {}, &Weighted::feature);
    return all;
  }

 private:
  static constexpr double kFirstSquare = 1e-6;

  struct Row {
    std::vector<std::uint32_t> numbers;
    bool secret = false;
  };

  void learn(const Row& row) {
    kept_.clear();
    for (const std::uint32_t number : row.numbers) {
      if (random_() % 100 >= kLeftOutOf100) {
        kept_.push_back(number);
      }
    }
    double sum = 0;
    for (const std::uint32_t number : kept_) {
      sum += weights_[number];
    }
    const double odds = std::exp(-sum / kKept);
    const double error = 1 / (1 + odds) - (row.secret ? 1 : 0);
    for (const std::uint32_t number : kept_) {
      const double gradient = error + kDecay * weights_[number];
      squares_[number] += gradient * gradient;
      weights_[number] -= kRate / std::sqrt(squares_[number]) * gradient;
    }
  }

  std::unordered_map<Feature, std::uint32_t> numbers_;
  std::vector<Row> rows_;
  std::vector<double> weights_;
  std::vector<double> squares_;  // sums of squared gradients: frequent features take smaller steps
  std::vector<double> means_;    // of the weights over all runs
  std::vector<std::uint32_t> kept_;
  std::mt19937 random_{7};
};

// The table in lookup format. A feature without a free slot nearby is dropped, and so is one whose
// lookup would find another feature first.
std::string tableOf(std::span<const Weighted> learned, std::size_t& leftOut) {
  std::string table(kPlaceSize * kWeightPlaces, kEmptyPlace);
  for (const auto& [feature, weight] : learned) {
    const int rounded = static_cast<int>(std::lround(weight * kScoreUnit));
    if (rounded == 0) {
      continue;
    }
    const auto check = checkOf(feature);
    std::size_t place = placeOf(feature);
    std::size_t probe = 0;
    bool shadowed = false;
    while (probe < kMostProbes && !shadowed && table[kPlaceSize * place] != kEmptyPlace) {
      shadowed = std::string_view(table).substr(kPlaceSize * place, check.size()) ==
                 std::string_view(check.data(), check.size());
      place = nextPlace(place);
      ++probe;
    }
    if (probe == kMostProbes || shadowed) {
      ++leftOut;
      continue;
    }
    std::ranges::copy(check, &table[kPlaceSize * place]);
    table[kPlaceSize * place + check.size()] = letterOfWeight(rounded);
  }
  return table;
}

void write(const std::string& table, std::uint64_t learnedFrom) {
  std::print(
      "// Written by `./dev learn`: not to be edited.\n"
      "#include \"domain/scrub/weights.h\"\n\n"
      "namespace auth_errors::domain {{\n\n"
      "const std::uint64_t kLearnedFrom = {:#x};\n\n"
      "// clang-format off\n"
      "const WeightRows kWeightRows = {{{{\n",
      learnedFrom);
  constexpr std::size_t kRow = kPlaceSize * kPlacesInRow;
  for (std::size_t at = 0; at < table.size(); at += kRow) {
    std::println("    \"{}\",", table.substr(at, kRow));
  }
  std::print(
      "}}}};\n"
      "// clang-format on\n\n"
      "}}  // namespace auth_errors::domain\n");
}

}  // namespace

int main(int count, char** arguments) try {
  std::vector<CorpusLine> lines;
  for (int i = 1; i < count; ++i) {
    lines.append_range(auth_errors::tests::readCorpus(arguments[i]));
  }
  const std::vector<Example> examples = auth_errors::tests::examplesOf(lines);
  Learner learner(examples);
  learner.run();
  const std::vector<Weighted> learned = learner.result();
  std::size_t leftOut = 0;
  const std::string table = tableOf(learned, leftOut);
  write(table, auth_errors::tests::digestOf(examples));
  std::println(
      stderr,
      "{} lines, {} values, {} secrets: {} features learned, {} left out for want of a place",
      lines.size(), examples.size(), std::ranges::count_if(examples, &Example::secret),
      learned.size(), leftOut);
  return 0;
} catch (const std::exception& error) {
  std::println(stderr, "learn: {}", error.what());
  return 1;
}
