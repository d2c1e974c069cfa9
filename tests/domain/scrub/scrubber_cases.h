// The scrubber's table of cases, by family. Vendor keys are split into two literals, so that
// repository scanners do not report these fake keys.
#pragma once

#include <span>
#include <string_view>

namespace auth_errors::domain {

struct ScrubCase {
  std::string_view name;
  std::string_view input;
  std::string_view expected;
};

// Texts that must stay unchanged.
struct KeptCase {
  std::string_view name;
  std::string_view text;
};

std::span<const ScrubCase> headerCases();
std::span<const ScrubCase> labelledCases();
std::span<const ScrubCase> shapeCases();
std::span<const ScrubCase> personalCases();
std::span<const ScrubCase> traceCases();
std::span<const ScrubCase> placeCases();
std::span<const KeptCase> keptCases();
std::span<const KeptCase> keptTraceCases();
std::span<const KeptCase> keptPlaceCases();

}  // namespace auth_errors::domain
