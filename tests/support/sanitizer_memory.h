// Freed memory that a sanitizer keeps for a while, to be allowed for by tests that measure memory.
#pragma once

namespace auth_errors::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kKeptBySanitizerMebibytes = 600;
#else
inline constexpr double kKeptBySanitizerMebibytes = 0;
#endif

}  // namespace auth_errors::tests
