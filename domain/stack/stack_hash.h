// What equal faults have in common: the text whose SHA-256 is an error's stack_hash, and its parts,
// which explain why errors were grouped. Pure functions: any thread, linear. The text does not
// depend on the build, the machine, the run or on which other values were redacted
// (docs/clusters.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::domain {

// Part of every hash. Increase it with each change that gives any trace another fingerprint.
inline constexpr std::uint16_t kStackHashVersion = 3;

inline constexpr std::size_t kMaxHashedFrames = 50;
inline constexpr std::size_t kMaxTitleCodePoints = 255;

struct FaultTexts {
  std::string_view exceptionClass;
  std::string_view rootCauseClass;
  std::string_view exceptionMessage;
  std::string_view stacktrace;
};

struct StackFingerprint {
  std::uint16_t version = kStackHashVersion;
  std::vector<std::string> classes;  // the exception and its causes, outermost first
  std::vector<std::string> frames;   // the fault's own first, then those of its causes
  std::string message;               // only if there are no frames

  bool operator==(const StackFingerprint&) const = default;
};

StackFingerprint fingerprint(const FaultTexts& fault);

// The fingerprint as one text to hash.
std::string hashedText(const StackFingerprint& fingerprint);
std::string stackHashContent(const FaultTexts& fault);

// A cluster's title, "BadCredentialsException in com.acme.Login.check": the exception and the first
// frame outside libraries.
std::string clusterTitle(const StackFingerprint& fingerprint);

}  // namespace auth_errors::domain
