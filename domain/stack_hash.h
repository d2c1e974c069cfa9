// What equal faults have in common: the text whose SHA-256 is an error's stack_hash. Pure, in linear
// time. Line numbers, addresses and counters are left out, so that a new build or another run of the
// same fault gives the same text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace auth_errors::domain {

inline constexpr std::size_t kMaxHashedFrames = 50;

struct FaultTexts {
  std::string_view exceptionClass;
  std::string_view rootCauseClass;
  std::string_view exceptionMessage;
  std::string_view stacktrace;
};

// The algorithm's version, the classes, and the frames; the message only if no frame is found.
std::string stackHashContent(const FaultTexts& fault);

}  // namespace auth_errors::domain
