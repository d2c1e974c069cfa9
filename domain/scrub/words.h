// The words that names are made of, and what each tells about a name: which family it belongs to if
// the name ends with it, and what it does to the word behind or before it.
// An immutable table that the compiler makes: any thread. A lookup is one probe of a hash table.
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/scrub/families.h"

namespace auth_errors::domain {

struct KnownWord {
  std::string_view text;
  Family family = Family::none;  // of a name that ends with the word
  bool qualifies = false;        // stands behind a stem without changing it: passwordHash
  bool fault = false;            // what follows is the name of a fault: invalid_token
  bool harmlessBefore = false;   // makes a `key` or `code` behind it harmless: error code
  bool secretBefore = false;     // makes a `key` or `code` behind it a secret: recovery code
  bool exception = false;        // ends like a stem and is none: monkey
  bool credentials = false;      // a call with this word in its name takes credentials: login
};

// FNV-1a, so that a name's parts are hashed while they are cut.
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

// What is known about a word in lower case; nothing if it is unknown.
const KnownWord& knownWord(std::string_view word, WordHash hash);
inline const KnownWord& knownWord(std::string_view word) { return knownWord(word, hashOf(word)); }

// Whether a stem or a qualifier ends with these two letters, both in lower case.
bool endsLikeStem(char secondLast, char last);

// The family of a name in a script that the stems can't be written in.
Family foreignFamilyOf(std::string_view name);

}  // namespace auth_errors::domain
