// Splits a token at separators. Pure functions: any thread; linear in the token.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace auth_errors::domain {

// A set of characters.
struct Separators {
  std::array<bool, 256> bytes{};

  constexpr explicit Separators(std::string_view characters) {
    for (const char c : characters) {
      bytes[static_cast<unsigned char>(c)] = true;
    }
  }
  [[nodiscard]] constexpr bool has(char c) const { return bytes[static_cast<unsigned char>(c)]; }
};

// Visits the pieces between the separators.
template <typename Visit>
void eachPart(std::string_view token, const Separators& separators, Visit visit) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= token.size(); ++at) {
    if (at == token.size() || separators.has(token[at])) {
      if (at > begin) {
        visit(token.substr(begin, at - begin));
      }
      begin = at + 1;
    }
  }
}

}  // namespace auth_errors::domain
