// A fixed set of words, built at compile time. Most lookups miss, and the first byte and the length
// reject most of those.
// Immutable: any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/scrub/text.h"

namespace auth_errors::domain {

template <std::size_t N>
class WordSet {
 public:
  // REQUIRES: no word is empty or longer than kLongest.
  constexpr explicit WordSet(const std::array<std::string_view, N>& words) : words_(words) {
    static_assert(N < 256);
    std::ranges::sort(words_);
    for (const std::string_view word : words_) {
      const auto first = static_cast<unsigned char>(word.front());
      lengths_[first] |= std::uint32_t{1} << word.size();
      ++ends_[first];
    }
    for (std::size_t byte = 1; byte < ends_.size(); ++byte) {
      ends_[byte] = static_cast<std::uint8_t>(ends_[byte] + ends_[byte - 1]);
    }
  }

  [[nodiscard]] constexpr bool contains(std::string_view word) const {
    return mayContain(word, word.empty() ? '\0' : word.front()) &&
           anyFrom(word.front(), [&](std::string_view known) { return known == word; });
  }

  // REQUIRES: the words of the set are in lower case.
  [[nodiscard]] constexpr bool containsInAnyCase(std::string_view word) const {
    return mayContain(word, word.empty() ? '\0' : toLower(word.front())) &&
           anyFrom(toLower(word.front()),
                   [&](std::string_view known) { return equalsWord(word, known); });
  }

 private:
  static constexpr std::size_t kLongest = 31;

  [[nodiscard]] constexpr bool mayContain(std::string_view word, char first) const {
    return !word.empty() && word.size() <= kLongest &&
           (lengths_[static_cast<unsigned char>(first)] >> word.size() & 1U) != 0;
  }

  template <typename Matches>
  [[nodiscard]] constexpr bool anyFrom(char first, Matches matches) const {
    const auto byte = static_cast<unsigned char>(first);
    const std::size_t begin = byte == 0 ? 0 : ends_[byte - 1U];
    for (std::size_t i = begin; i < ends_[byte]; ++i) {
      if (matches(words_[i])) {
        return true;
      }
    }
    return false;
  }

  std::array<std::string_view, N> words_;
  std::array<std::uint32_t, 256> lengths_{};  // lengths of the words with this first byte, as bits
  std::array<std::uint8_t, 256> ends_{};      // end of the words with this first byte
};

}  // namespace auth_errors::domain
