// Work to do after a commit, such as waking a worker or updating metrics: functions that write
// return it to the code that commits, which runs it only then. A plain value.
#pragma once

#include <functional>

namespace auth_errors::database {

// Empty if there is nothing to do. Must not throw.
using AfterCommit = std::function<void()>;

inline void run(const AfterCommit& work) {
  if (work) {
    work();
  }
}

}  // namespace auth_errors::database
