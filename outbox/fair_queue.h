// A queue that serves its sources in turn: one that sends five hundred at once does not keep the
// others waiting. First in, first out within a source. Not thread-safe: its owner's loop only.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>

namespace auth_errors::outbox {

template <typename Source, typename Item>
class FairQueue {
 public:
  void push(const Source& source, Item item) {
    auto [found, added] = lines_.try_emplace(source);
    if (added) {
      found->second = turns_.emplace(turns_.end(), source, std::deque<Item>{});
    }
    found->second->second.push_back(std::move(item));
    ++size_;
  }

  [[nodiscard]] const Item& front() const { return turns_.front().second.front(); }

  // The next one's source goes to the end of the line.
  Item pop() {
    auto turn = turns_.begin();
    Item item = std::move(turn->second.front());
    turn->second.pop_front();
    --size_;
    if (turn->second.empty()) {
      lines_.erase(turn->first);
      turns_.erase(turn);
    } else {
      turns_.splice(turns_.end(), turns_, turn);
    }
    return item;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  using Turns = std::list<std::pair<Source, std::deque<Item>>>;

  Turns turns_;
  std::unordered_map<Source, typename Turns::iterator> lines_;
  std::size_t size_ = 0;
};

}  // namespace auth_errors::outbox
