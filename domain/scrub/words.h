// The words of names, and the effect of each on a name: the family of a name that ends with it, and
// its effect on an adjacent word.
// An immutable table built at compile time: any thread. A lookup is one probe of a hash table.
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/scrub/families.h"

namespace auth_errors::domain {

struct KnownWord {
  std::string_view text;
  Family family = Family::none;  // of a name that ends with the word
  bool qualifies = false;        // follows a stem without changing it: passwordHash
  bool fault = false;            // starts the name of an error: invalid_token
  bool harmlessBefore = false;   // makes a following `key` or `code` harmless: error code
  bool secretBefore = false;     // makes a following `key` or `code` a secret: recovery code
  bool exception = false;        // ends with a stem but is unrelated: monkey
  bool credentials = false;      // a call with this word in its name takes credentials: login
};

// FNV-1a, which allows hashing the parts of a name while splitting it.
using WordHash = std::uint32_t;
constexpr WordHash kEmptyHash = 2'166'136'261U;

constexpr WordHash extended(WordHash hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
}

constexpr WordHash hashOf(std::string_view word) {
  WordHash hash = kEmptyHash;
  for (const char c : word) {
    hash = extended(hash, c);
  }
  return hash;
}

// The entry of a word in lower case; empty if it is unknown.
const KnownWord& knownWord(std::string_view word, WordHash hash);
inline const KnownWord& knownWord(std::string_view word) { return knownWord(word, hashOf(word)); }

// True if a stem or a qualifier ends with these two letters, both in lower case.
bool endsLikeStem(char secondLast, char last);

// The family of a name in a script that the stems cannot represent.
Family foreignFamilyOf(std::string_view name);

}  // namespace auth_errors::domain
