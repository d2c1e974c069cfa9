#include "domain/scrub/site_learned.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_keys.h"
#include "domain/scrub/text.h"
#include "domain/scrub/weights.h"

namespace auth_errors::domain {
namespace {

// Length of the front by which a value is judged.
constexpr std::size_t kLookFront = 48;
// Limits on the words examined before a value, and on the tokens scanned for them.
constexpr std::size_t kWordsBefore = 8;
constexpr std::size_t kTokensBefore = 20;
// The same limits after the value.
constexpr std::size_t kWordsBehind = 2;
constexpr std::size_t kTokensBehind = 6;

// The subject of a feature. The weights depend on these numbers.
enum class About : std::uint32_t {
  always,
  shape,    // runs of characters of the same class
  classes,  // the character classes that occur, and the length
  spread,   // number of distinct characters and of digits
  looks,    // results of the rules' predicates for the value
  trigram,  // a trigram of the value
  ending,
  signsBefore,  // between the previous word and the value
  signsAround,
  looksAndSigns,
  word1,  // the last part of the previous word
  word1Signs,
  word1Form,
  name1,  // the whole previous word
  word2,  // the word before the previous one
  words,  // both words
  word3,
  near,   // any nearby word before the value
  next1,  // the next word
  next2,
  context,      // the last preceding word that announces a secret, and its distance
  contextWord,  // that word itself
  contextForm,
  bracket,  // properties of the enclosing bracket
  call,     // the name before the bracket, and the position inside it
  first,    // the line's first word
  key,      // the family of the key
};

constexpr std::uint32_t mixed(std::uint32_t hash, std::uint32_t more) {
  hash = (hash ^ more) * 0x9E3779B1U;
  return hash ^ (hash >> 15U);
}

constexpr Feature featureOf(About about, std::uint32_t a = 0, std::uint32_t b = 0) {
  constexpr std::uint32_t kSeed = 0x51ED270BU;
  return mixed(mixed(mixed(static_cast<std::uint32_t>(about) + kSeed, a), b), kSeed);
}

// Case-insensitive.
std::uint32_t caselessHash(std::string_view text) {
  std::uint32_t hash = 0x811C9DC5U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(toLower(c))) * 0x01000193U;
  }
  return hash;
}

constexpr bool isOfWord(char c) { return isLetter(c) || static_cast<unsigned char>(c) >= 0x80; }

// The last word of a name: "token" of access_token, accessToken and access-token1.
std::string_view lastPart(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && !isOfWord(name[end - 1])) {
    --end;
  }
  std::size_t begin = end;
  while (begin > 0 && isOfWord(name[begin - 1])) {
    --begin;
    if (isOf(name[begin], kUpperChar) && begin + 1 < end && isOf(name[begin + 1], kLowerChar)) {
      break;
    }
  }
  return name.substr(begin, end - begin);
}

std::uint32_t lengthClass(std::size_t length) {
  constexpr auto kBounds =
      std::to_array<std::size_t>({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 33, 40, 64, 128});
  return static_cast<std::uint32_t>(std::ranges::upper_bound(kBounds, length) - kBounds.begin());
}

constexpr std::uint32_t kDigitLook = 1;
constexpr std::uint32_t kLowerLook = 2;
constexpr std::uint32_t kUpperLook = 4;
constexpr std::uint32_t kForeignLook = 8;
constexpr std::uint32_t kBlankLook = 16;
constexpr std::uint32_t kSignLook = 32;

constexpr std::uint32_t classOf(char c) {
  if (isDigit(c)) {
    return kDigitLook;
  }
  if (isLetter(c)) {
    return isOf(c, kLowerChar) ? kLowerLook : kUpperLook;
  }
  if (static_cast<unsigned char>(c) >= 0x80) {
    return kForeignLook;
  }
  return isBlank(c) ? kBlankLook : kSignLook;
}

struct Look {
  std::uint32_t shape = 0;
  std::uint32_t classes = 0;
  std::uint32_t form = 0;
  std::uint32_t spread = 0;
};

Look lookOf(std::string_view value) {
  constexpr std::uint32_t kMostRuns = 10;
  const std::string_view front = value.substr(0, kLookFront);
  Look look;
  std::uint32_t last = 0;
  std::uint32_t runs = 0;
  std::uint32_t digits = 0;
  std::uint64_t seen = 0;
  for (const char c : front) {
    const std::uint32_t kind = classOf(c);
    const std::uint32_t mark = kind == kSignLook ? static_cast<unsigned char>(c) : kind;
    if (mark != last && runs < kMostRuns) {
      look.shape = mixed(look.shape, mark);
      ++runs;
    }
    last = mark;
    look.classes |= kind;
    digits += kind == kDigitLook ? 1 : 0;
    seen |= std::uint64_t{1} << (static_cast<unsigned char>(c) % 64U);
  }
  const auto length = std::max(static_cast<std::uint32_t>(front.size()), 1U);
  look.form = look.classes * 8 + std::min(runs / 2, 3U) * 2 + (length >= kShortestOpaque ? 1U : 0U);
  look.spread =
      static_cast<std::uint32_t>(std::popcount(seen)) * 8 / length * 16 + digits * 8 / length;
  return look;
}

// A null token stands for the begin or the end of the line.
std::uint32_t markOf(const Token* token) {
  return token == nullptr
             ? 1
             : static_cast<std::uint32_t>(token->kind) * 512 +
                   static_cast<unsigned char>(token->sign) * 2U + (token->spaced ? 1U : 0U);
}

constexpr bool isWordOrMarker(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::marker;
}

// The hash of the word at token `i`, never 0.
std::uint32_t wordOf(const Line& line, std::size_t i) {
  constexpr std::size_t kLongestName = 80;
  constexpr std::uint32_t kMarker = 7;
  constexpr std::uint32_t kNoLetters = 3;
  std::uint32_t& known = line.wordHashes[i];
  if (known == 0) {
    const Token& token = line.tokens[i];
    const std::string_view part = lastPart(line.textOf(token).substr(0, kLongestName));
    known = token.kind == TokenKind::marker ? kMarker
            : part.empty()                  ? kNoLetters
                                            : caselessHash(part) | 1U;
  }
  return known;
}

// 0 for an unknown feature.
int weightOf(Feature feature) {
  const std::array<char, 2> check = checkOf(feature);
  std::size_t place = placeOf(feature);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    const char* const found = &kWeightRows[place / kPlacesInRow][place % kPlacesInRow * kPlaceSize];
    if (found[0] == check[0] && found[1] == check[1]) {
      return weightIn(found[2]);
    }
    if (found[0] == kEmptyPlace) {
      return 0;
    }
    place = nextPlace(place);
  }
  return 0;
}

// Reads the features of one value and caches their common inputs.
class Reading {
 public:
  Reading(const Line& line, std::size_t i, const Site& site, Features& features)
      : line_(line),
        i_(i),
        site_(site),
        value_(line.textOf(site)),
        look_(lookOf(value_)),
        form_(look_.form * 2 + (site.quoted ? 1 : 0)),
        features_(features) {}

  void run() {
    value();
    before();
    behind();
    surroundings();
    letters();
  }

 private:
  void add(About about, std::uint32_t a = 0, std::uint32_t b = 0) {
    features_.add(featureOf(about, a, b));
  }

  void value() {
    const std::uint32_t length = lengthClass(value_.size()) * 2 + (site_.quoted ? 1 : 0);
    add(About::always);
    add(About::shape, look_.shape);
    add(About::classes, look_.classes, length);
    add(About::spread, look_.spread, length);
    looks_ = (looksGenerated(value_, 12) ? 1U : 0U) | (looksChosen(value_) ? 2U : 0U) |
             (isHarmlessShape(value_) ? 4U : 0U);
    add(About::looks, looks_, length);
  }

  void before() {
    std::array<std::size_t, kWordsBefore> words{};
    std::size_t count = 0;
    const std::size_t furthest = i_ > kTokensBefore ? i_ - kTokensBefore : 0;
    signs_ = site_.quoted ? 1 : 0;
    for (std::size_t k = i_; k > furthest && count < words.size(); --k) {
      const Token& token = line_.tokens[k - 1];
      if (isWordOrMarker(token)) {
        words[count++] = k - 1;
      } else if (count == 0) {
        signs_ = mixed(signs_, markOf(&token));
      }
    }
    signs_ = signs_ * 2 + (line_.tokens[i_].spaced ? 1 : 0);
    add(About::signsBefore, signs_, form_);
    add(About::looksAndSigns, looks_, signs_);
    if (count == 0) {
      add(About::word1);
      return;
    }
    std::array<std::uint32_t, kWordsBefore> hashes{};
    for (std::size_t k = 0; k < count; ++k) {
      hashes[k] = wordOf(line_, words[k]);
      add(About::near, hashes[k]);
    }
    constexpr std::size_t kLongestName = 40;
    add(About::word1, hashes[0]);
    add(About::word1Signs, hashes[0], signs_);
    add(About::word1Form, hashes[0], form_);
    add(About::name1, caselessHash(line_.textOf(line_.tokens[words[0]]).substr(0, kLongestName)),
        signs_);
    if (count > 1) {
      add(About::word2, hashes[1]);
      add(About::words, hashes[1], hashes[0]);
    }
    if (count > 2) {
      add(About::word3, hashes[2]);
    }
  }

  void behind() {
    const std::size_t after = line_.tokenBehind(i_, site_) + (site_.quoted ? 1 : 0);
    const Token* const follower = after < line_.tokens.size() ? &line_.tokens[after] : nullptr;
    const bool word = follower != nullptr && follower->kind == TokenKind::word;
    const std::uint32_t sign = word ? 2 : markOf(follower);
    add(About::signsAround, signs_, sign);
    const std::size_t end = std::min(line_.tokens.size(), after + kTokensBehind);
    std::size_t count = 0;
    for (std::size_t k = after; k < end && count < kWordsBehind; ++k) {
      if (isWordOrMarker(line_.tokens[k])) {
        add(count == 0 ? About::next1 : About::next2, wordOf(line_, k));
        ++count;
      }
    }
  }

  void surroundings() {
    add(About::context, static_cast<std::uint32_t>(line_.context) * 16 + distance(), form_);
    if (line_.contextToken != kNoToken) {
      const std::uint32_t word = wordOf(line_, line_.contextToken);
      add(About::contextWord, word, distance());
      add(About::contextForm, word, form_);
    }
    if (line_.brackets.empty()) {
      add(About::bracket, 0, form_);
    } else {
      const Bracket& bracket = line_.brackets.back();
      const auto index = static_cast<std::uint32_t>(std::min<std::size_t>(bracket.index, 3));
      add(About::bracket,
          static_cast<unsigned char>(bracket.open) * 256U +
              static_cast<std::uint32_t>(bracket.label) * 16 + index * 2 +
              (bracket.credentials ? 1U : 0U),
          form_);
      if (bracket.nameToken != kNoToken) {
        add(About::call, wordOf(line_, bracket.nameToken), index);
      }
    }
    const Token& start = line_.tokens.front();
    const std::uint32_t first = start.kind == TokenKind::word ? wordOf(line_, 0) : markOf(&start);
    add(About::first, first);
    const Key key = keyOf(line_, i_);
    add(About::key,
        static_cast<std::uint32_t>(key.family) * 4 + static_cast<std::uint32_t>(key.sign), form_);
  }

  void letters() {
    constexpr std::size_t kTrigramFront = 12;
    const std::string_view front = value_.substr(0, kTrigramFront);
    for (std::size_t k = 0; k + 2 < front.size(); ++k) {
      add(About::trigram, caselessHash(front.substr(k, 3)));
    }
    add(About::ending,
        caselessHash(value_.substr(value_.size() - std::min<std::size_t>(value_.size(), 3))),
        look_.classes);
  }

  // Distance from the last word that announced a secret.
  [[nodiscard]] std::uint32_t distance() const {
    constexpr std::uint32_t kBefore = 8;
    constexpr std::uint32_t kLineBefore = 9;
    if (line_.contextIsCarried()) {
      return kLineBefore;
    }
    return site_.begin < line_.contextAt ? kBefore
                                         : static_cast<std::uint32_t>(std::min<std::size_t>(
                                               (site_.begin - line_.contextAt) / 12, kBefore - 1));
  }

  const Line& line_;
  std::size_t i_;
  const Site& site_;
  std::string_view value_;
  Look look_;
  std::uint32_t form_;
  Features& features_;
  std::uint32_t looks_ = 0;
  std::uint32_t signs_ = 0;
};

}  // namespace

void readFeatures(const Line& line, std::size_t i, const Site& site, Features& features) {
  Reading(line, i, site, features).run();
}

int learnedScore(const Line& line, std::size_t i, const Site& site) {
  Features features;
  readFeatures(line, i, site, features);
  int score = 0;
  for (const Feature feature : features.all()) {
    score += weightOf(feature);
  }
  return score;
}

}  // namespace auth_errors::domain
