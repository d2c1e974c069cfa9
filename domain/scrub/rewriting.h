// One pass over a text that replaces parts of it by markers, from left to right.
// Belongs to the function that makes it. It keeps a place of the text (its front's end) where it
// was, whatever is replaced before or around it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "domain/scrub/kinds.h"

namespace auth_errors::domain {

// A text of which only the first `front` bytes are wanted; the rest is there to be read.
struct ScrubbedFront {
  std::string text;
  std::size_t front;
};

class Rewriting {
 public:
  explicit Rewriting(ScrubbedFront& target) : target_(target) {}

  // Parts come in order and do not overlap. What lies before the last one's end is written.
  void replace(std::size_t begin, std::size_t end, RedactionKind kind, RedactionCounts& counts) {
    placeFront(begin);
    result_.append(target_.text, written_, begin - written_).append(markerOf(kind));
    counts.add(kind);
    written_ = end;
    // A secret across the front's end is the front's: its marker stays.
    if (!front_ && target_.front < end) {
      front_ = result_.size();
    }
  }

  [[nodiscard]] std::size_t written() const { return written_; }

  // False if nothing was replaced.
  bool finish() {
    if (written_ == 0) {
      return false;
    }
    placeFront(target_.text.size());
    result_.append(target_.text, written_);
    target_ = {.text = std::move(result_), .front = *front_};
    return true;
  }

 private:
  void placeFront(std::size_t upTo) {
    if (!front_ && target_.front <= upTo) {
      front_ = result_.size() + (target_.front - written_);
    }
  }

  ScrubbedFront& target_;
  std::string result_;
  std::size_t written_ = 0;
  std::optional<std::size_t> front_;
};

}  // namespace auth_errors::domain
