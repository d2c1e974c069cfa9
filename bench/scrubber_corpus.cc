// Prints the scrubber's results on both halves of its corpus, as counts only.
#include <print>
#include <string_view>

#include "tests/support/scrub_corpus.h"

int main() {
  using namespace auth_errors::tests;
  std::println("{:<10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}", "corpus", "secrets", "removed",
               "recall", "clean", "touched", "share");
  const auto row = [](std::string_view name, const std::filesystem::path& file) {
    const CorpusResult result = measureScrubber(readCorpus(file));
    std::println("{:<10} {:>8} {:>8} {:>8.4f} {:>8} {:>8} {:>8.4f}", name, result.secrets,
                 result.removed, result.recall(), result.cleanLines, result.touched,
                 result.touchedShare());
  };
  row("open", openCorpus());
  row("held out", heldOutCorpus());
}
