// Holds one instance of T per event loop and returns that of the calling loop: a request never
// leaves its loop on the way to the database. Filled before the first request, then read by all
// loops.
#pragma once

#include <cstddef>
#include <vector>

#include <trantor/net/EventLoop.h>

namespace auth_errors::workers {

template <typename T>
class PerLoop {
 public:
  // REQUIRES: no loop is serving requests yet. The part must live as long as its loop serves
  // requests.
  void place(trantor::EventLoop& loop, T& part) {
    if (parts_.size() <= loop.index()) {
      parts_.resize(loop.index() + 1, nullptr);
    }
    parts_[loop.index()] = &part;
  }

  // REQUIRES: called on a loop that has a part, before the parts are stopped: requests that are
  // still served afterwards, such as probes, must not call it.
  [[nodiscard]] T& local() const {
    return *parts_.at(trantor::EventLoop::getEventLoopOfCurrentThread()->index());
  }

 private:
  std::vector<T*> parts_;
};

}  // namespace auth_errors::workers
