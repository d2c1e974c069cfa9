// A single left-to-right pass over a text that replaces parts of it by markers.
// Owned by its caller. Tracks the end of the text's front across all replacements before or around
// it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "domain/scrub/kinds.h"

namespace auth_errors::domain {

// A text of which only the first `front` bytes are kept; the rest is lookahead.
struct ScrubbedFront {
  std::string text;
  std::size_t front;
};

class Rewriting {
 public:
  explicit Rewriting(ScrubbedFront& target) : target_(target) {}

  // Replaces the next part. Text before its end is written.
  // REQUIRES: parts come in order and do not overlap.
  void replace(std::size_t begin, std::size_t end, RedactionKind kind, RedactionCounts& counts) {
    placeFront(begin);
    result_.append(target_.text, written_, begin - written_).append(markerOf(kind));
    counts.add(kind);
    written_ = end;
    // A secret that crosses the end of the front belongs to the front: its marker stays.
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
