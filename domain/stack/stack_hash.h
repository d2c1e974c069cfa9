// What equal faults have in common: the text whose SHA-256 is an error's stack_hash, and the parts
// that it is made of, to be shown to whoever asks why errors were grouped. Pure functions: any
// thread, linear. Another build, machine or run of the same fault gives the same text, and so does
// one of which other values were redacted (docs/clusters.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::domain {

// Part of every hash: to be raised with each change that gives any trace another fingerprint.
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
  std::vector<std::string> classes;  // the exception's, then those of its causes, outermost first
  std::vector<std::string> frames;   // the fault's own first, then those of its causes
  std::string message;               // only without frames

  bool operator==(const StackFingerprint&) const = default;
};

StackFingerprint fingerprint(const FaultTexts& fault);

// The fingerprint as the one text to be hashed.
std::string hashedText(const StackFingerprint& fingerprint);
std::string stackHashContent(const FaultTexts& fault);

// A cluster's name for people, "BadCredentialsException in com.acme.Login.check": the exception and
// the first frame that is not a library's.
std::string clusterTitle(const StackFingerprint& fingerprint);

}  // namespace auth_errors::domain
