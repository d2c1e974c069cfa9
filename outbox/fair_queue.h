// A queue that serves its sources in turn: a source with five hundred items does not keep the
// others waiting. First in, first out within a source. Every other turn goes to sources that have
// not been served since they appeared, so that a single item waits for few others, however many
// sources have large backlogs. Not thread-safe: used on its owner's loop only.
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
      found->second = fresh_.emplace(fresh_.end(), source, std::deque<Item>{});
    }
    found->second->second.push_back(std::move(item));
    ++size_;
  }

  [[nodiscard]] const Item& front() const {
    return (servesFresh() ? fresh_ : served_).front().second.front();
  }

  // Whether the next item is the first of its source since the source appeared.
  [[nodiscard]] bool servesFresh() const {
    return served_.empty() || (freshIsNext_ && !fresh_.empty());
  }

  // The source of the returned item moves to the end of the line.
  Item pop() {
    Turns& turns = servesFresh() ? fresh_ : served_;
    freshIsNext_ = &turns == &served_;
    auto turn = turns.begin();
    Item item = std::move(turn->second.front());
    turn->second.pop_front();
    --size_;
    if (turn->second.empty()) {
      lines_.erase(turn->first);
      turns.erase(turn);
    } else {
      served_.splice(served_.end(), turns, turn);
    }
    return item;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t sources() const { return lines_.size(); }

 private:
  using Turns = std::list<std::pair<Source, std::deque<Item>>>;

  Turns fresh_;
  Turns served_;
  bool freshIsNext_ = true;
  std::unordered_map<Source, typename Turns::iterator> lines_;
  std::size_t size_ = 0;
};

}  // namespace auth_errors::outbox
