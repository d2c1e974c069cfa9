// Memory that a sanitizer keeps after it was freed; tests that measure memory allow for it.
#pragma once

namespace auth_errors::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kKeptBySanitizerMebibytes = 600;
#else
inline constexpr double kKeptBySanitizerMebibytes = 0;
#endif

}  // namespace auth_errors::tests
