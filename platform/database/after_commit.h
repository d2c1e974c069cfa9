// What is left to do once a transaction is committed, such as to wake a worker or to count: writers
// return it to the part that commits, which does it only then. A plain value.
#pragma once

#include <functional>

namespace auth_errors::database {

// Empty if nothing is left to do. It must not throw.
using AfterCommit = std::function<void()>;

inline void run(const AfterCommit& work) {
  if (work) {
    work();
  }
}

}  // namespace auth_errors::database
