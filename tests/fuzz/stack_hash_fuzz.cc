// For any text, the parts of the hash respect their limits and do not depend on line numbers, and
// valid UTF-8 stays valid.
#include <cstddef>
#include <cstdint>
#include <format>
#include <string>
#include <string_view>

#include "domain/scrub/text.h"
#include "domain/stack/stack_hash.h"
#include "domain/values/utf8.h"
#include "tests/fuzz/require.h"

namespace {

using namespace auth_errors::domain;

// Characters that may occur in a name or a path and end neither in any language.
std::string nameOf(std::string_view input) {
  std::string name = "n";
  for (const char c : input) {
    if (isAlnum(c) || std::string_view("._$<>/-:\\`").contains(c)) {
      name += c;
    }
  }
  return name;
}

// One frame in each format.
std::string traceOf(std::string_view name, std::string_view file, int line) {
  return std::format(
      "\tat {0}({1}.java:{2})\n  File \"{1}\", line {2}, in {0}\n    at {0} ({1}:{2}:{2})\n"
      "{0}()\n\t/{1}.go:{2} +0x{2}\n   at {0}() in {1}:line {2}\n\tfrom {1}.rb:{2}:in '{0}'\n"
      "#0 {1}({2}): {0}()\n  {2}: {0}\n             at {1}:{2}:{2}\n#1  0x{2} in {0} () at "
      "{1}:{2}\n"
      "{0}@https://{1}/:{2}:{2}\n",
      name, file, line);
}

}  // namespace

// The first byte is the number of following bytes that are the classes and the message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  FaultTexts fault{};
  if (!input.empty()) {
    const auto lengths = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    fault.exceptionClass = input.substr(0, lengths & 0x0FU);
    fault.rootCauseClass = fault.exceptionClass;
    fault.exceptionMessage = input.substr(0, lengths);
    input.remove_prefix(fault.exceptionClass.size());
  }
  fault.stacktrace = input;

  const StackFingerprint parts = fingerprint(fault);
  require(parts.version == kStackHashVersion);
  require(parts.frames.size() <= kMaxHashedFrames);
  require(parts.frames.empty() || parts.message.empty());
  require(fingerprint(fault) == parts);

  // Each part is a piece of the text with a few characters around it.
  constexpr std::size_t kLargestAddition = 64;
  constexpr std::size_t kMaxParts = 200;
  require(stackHashContent(fault).size() <= 4 * size + (kMaxParts * kLargestAddition));
  require(countCodePoints(clusterTitle(parts)) <= kMaxTitleCodePoints);

  // For any names, another line number is not another fault. Short enough not to be treated as
  // truncated.
  constexpr std::size_t kLongName = 100;
  const std::string name = nameOf(fault.exceptionMessage.substr(0, kLongName));
  const std::string file = nameOf(input.substr(0, kLongName));
  const std::string one = traceOf(name, file, 7);
  const std::string two = traceOf(name, file, 1'042);
  const auto framesOf = [](std::string_view trace) {
    return fingerprint({.exceptionClass = "E",
                        .rootCauseClass = "",
                        .exceptionMessage = "",
                        .stacktrace = trace})
        .frames;
  };
  require(framesOf(one) == framesOf(two));
  return 0;
}
