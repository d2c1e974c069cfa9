// A trace read into its parts: the exception and each of its causes with their frames.
// A pure function: any thread, linear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::domain {

struct TraceSection {
  std::string exceptionClass;       // empty if the trace does not name it
  std::vector<std::string> frames;  // the fault's own first, normalised, recursion folded
};

// The exception first, then its cause, then the cause of that, whatever order the language prints
// them in. Suppressed exceptions and other goroutines are omitted. No section has more than
// `maxFrames` frames.
std::vector<TraceSection> readTrace(std::string_view trace, std::size_t maxFrames);

}  // namespace auth_errors::domain
