// The corpus of labelled texts that measures the scrubber (tests/corpus/README.md), and the
// measurement itself. Plain functions: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/scrub/weights.h"

namespace auth_errors::tests {

// The two halves in the repository.
std::filesystem::path openCorpus();
std::filesystem::path heldOutCorpus();

struct CorpusLine {
  std::string ecosystem;
  std::string text;                      // without the markers around its secrets
  std::vector<std::string> secrets;      // empty for a clean line
  std::vector<std::size_t> places = {};  // where each of them begins
};

// Throws if a line violates the format.
std::vector<CorpusLine> readCorpus(const std::filesystem::path& file);

// A value of a line, as an example to learn the weights from.
struct Example {
  std::vector<domain::Feature> features;
  bool secret = false;
};

std::vector<Example> examplesOf(std::span<const CorpusLine> lines);

// Changes with every line of the corpus and with every change of the features.
std::uint64_t digestOf(std::span<const Example> examples);

struct CorpusFailure {
  std::size_t line = 0;  // in the file, from 1
  std::string input;
  std::string output;
  std::string survivor;  // the secret; empty if a clean line was changed
};

struct CorpusResult {
  std::size_t secrets = 0;
  std::size_t removed = 0;
  std::size_t cleanLines = 0;
  std::size_t touched = 0;
  std::vector<CorpusFailure> failures;

  [[nodiscard]] double recall() const;
  [[nodiscard]] double touchedShare() const;
};

// A secret counts as removed only if no six consecutive characters of it (all of it, if it is
// shorter) are left in the scrubbed text, unless they also occur elsewhere in the original. A clean
// line is touched if anything but its e-mail addresses has changed.
CorpusResult measureScrubber(const std::vector<CorpusLine>& lines);

}  // namespace auth_errors::tests
