// Randomness that keeps instances and messages from acting in step. Usable from any thread.
#pragma once

#include <random>

namespace auth_errors::workers {

// From `least` to `most`.
inline double randomShare(double least, double most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(least, most)(random);
}

}  // namespace auth_errors::workers
