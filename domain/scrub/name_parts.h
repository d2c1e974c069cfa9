// Splits a name into words at separators and camel-case humps, and looks them up.
// Owned by its caller; linear in the name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/scrub/words.h"

namespace auth_errors::domain {

// The lower-case words of a name such as "X-Auth-Token", "dbPassword" or "users.api_token".
class NameParts {
 public:
  // The arrays stay uninitialised, since most names are short.
  NameParts() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  // False if the name has no parts, too many parts, or letters of other scripts.
  // REQUIRES: the parts are empty.
  bool split(std::string_view name);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::string_view part(std::size_t i) const {
    return {text_.data() + begins_[i], static_cast<std::size_t>(begins_[i + 1] - begins_[i])};
  }
  [[nodiscard]] const KnownWord& known(std::size_t i) const {
    return knownWord(part(i), hashes_[i]);
  }

 private:
  static constexpr std::size_t kMaxName = 80;
  static constexpr std::size_t kMaxParts = 16;

  // False if there are too many parts.
  bool open() {
    if (count_ == kMaxParts) {
      return false;
    }
    begins_[count_] = size_;
    hashes_[count_] = kEmptyHash;
    ++count_;
    return true;
  }

  // REQUIRES: a part is open, and the name is no longer than kMaxName.
  void append(char c) {
    text_[size_++] = c;
    begins_[count_] = size_;
    hashes_[count_ - 1] = extended(hashes_[count_ - 1], c);
  }

  std::array<char, kMaxName> text_;
  std::array<std::uint8_t, kMaxParts + 1> begins_;
  std::array<WordHash, kMaxParts> hashes_;
  std::size_t count_ = 0;
  std::uint8_t size_ = 0;
};

}  // namespace auth_errors::domain
