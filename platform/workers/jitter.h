// Chance, so that many instances and messages do not act in step. Any thread.
#pragma once

#include <random>

namespace auth_errors::workers {

// From `least` to `most`.
inline double randomShare(double least, double most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(least, most)(random);
}

}  // namespace auth_errors::workers
