// The learned weights of the features of values, as text: a table by hash with three characters a
// place, two that check the feature and a weight. Immutable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace auth_errors::domain {

// Something that holds for a value, by its hash: "the word before it is `password`".
using Feature = std::uint32_t;

// Where a feature is looked for first, and how often from there on.
inline constexpr std::size_t kWeightPlaces = 196608;
inline constexpr std::size_t kMostProbes = 16;
constexpr std::size_t placeOf(Feature feature) {
  return static_cast<std::size_t>((std::uint64_t{feature} * kWeightPlaces) >> 32U);
}
constexpr std::size_t nextPlace(std::size_t place) { return (place + 1) % kWeightPlaces; }

// Numbers are written as printable characters that need no escape: neither quote nor backslash.
inline constexpr int kNumbers = 91;
constexpr char letterOf(int number) {
  return static_cast<char>(number < '\\' - '#' ? '#' + number : '#' + 1 + number);
}
constexpr int numberOf(char letter) { return letter < '\\' ? letter - '#' : letter - '#' - 1; }

inline constexpr char kEmptyPlace = ' ';
constexpr std::array<char, 2> checkOf(Feature feature) {
  const int check = static_cast<int>((feature & 0xFFFFU) % (kNumbers * kNumbers));
  return {letterOf(check / kNumbers), letterOf(check % kNumbers)};
}

// One e-fold of the odds.
inline constexpr int kScoreUnit = 10;
inline constexpr int kMostWeight = kNumbers / 2;
constexpr int weightIn(char letter) { return numberOf(letter) - kMostWeight; }
constexpr char letterOfWeight(int weight) {
  return letterOf(std::clamp(weight, -kMostWeight, kMostWeight) + kMostWeight);
}

inline constexpr std::size_t kPlaceSize = 3;
inline constexpr std::size_t kPlacesInRow = 32;
using WeightRows = std::array<std::string_view, kWeightPlaces / kPlacesInRow>;

// Written by `./dev learn`, with the digest of what they were learned from.
extern const WeightRows kWeightRows;
extern const std::uint64_t kLearnedFrom;

}  // namespace auth_errors::domain
