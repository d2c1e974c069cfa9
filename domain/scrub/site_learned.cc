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

// A value is judged by this much of its front.
constexpr std::size_t kLookFront = 48;
// So many words before a value are looked at, within so many tokens.
constexpr std::size_t kWordsBefore = 8;
constexpr std::size_t kTokensBefore = 20;
// The same behind it.
constexpr std::size_t kWordsBehind = 2;
constexpr std::size_t kTokensBehind = 6;

// What a feature is about. The weights hold for these numbers.
enum class About : std::uint32_t {
  always,
  shape,    // runs of equal characters
  classes,  // which classes of characters occur, and the length
  spread,   // how many characters differ, how many are digits
  looks,    // what the rules think of the value
  trigram,  // three letters of the value
  ending,
  signsBefore,  // between the word before and the value
  signsAround,
  looksAndSigns,
  word1,  // the last part of the word before
  word1Signs,
  word1Form,
  name1,  // the whole word before
  word2,  // the word before that
  words,  // the two
  word3,
  near,   // a word before, wherever
  next1,  // the word behind
  next2,
  context,      // the last word before that announces a secret, and how far it is
  contextWord,  // that word itself
  contextForm,
  bracket,  // what is known about the bracket around
  call,     // whose bracket it is, and the place in it
  first,    // the line's first word
  key,      // the family of the key
  rule,     // what the rules take it for
  ruleSigns,
  ruleContext,
  ruleWord1,
  keyPart,  // each part of the key's name
  keyPartForm,
  keyFront,  // how the key's last part begins
  keyEnd,
  keyForm,
  prefix,  // the letters that the value begins with
  prefixForm,
  whole,   // the value itself
  pairs,   // how its letters follow each other
  family,  // of the value as a name
  ends,    // its first and last character
  nextForm,
  nextSign,
  callForm,
  topic,  // the text speaks of one-time codes
  topicForm,
};

constexpr std::uint32_t mixed(std::uint32_t hash, std::uint32_t more) {
  hash = (hash ^ more) * 0x9E3779B1U;
  return hash ^ (hash >> 15U);
}

constexpr Feature featureOf(About about, std::uint32_t a = 0, std::uint32_t b = 0) {
  constexpr std::uint32_t kSeed = 0x51ED270BU;
  return mixed(mixed(mixed(static_cast<std::uint32_t>(about) + kSeed, a), b), kSeed);
}

// In any case.
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

struct LetterPairs {
  std::uint32_t common = 0;   // of eight pairs of letters
  std::uint32_t longest = 0;  // run of letters that follow each other as in words, up to 7
};

LetterPairs pairsOf(std::string_view value) {
  constexpr std::uint32_t kLongestRun = 7;
  LetterPairs result;
  std::uint32_t pairs = 0;
  std::uint32_t common = 0;
  std::uint32_t run = 0;
  const std::string_view front = value.substr(0, kLookFront);
  for (std::size_t k = 1; k < front.size(); ++k) {
    if (!isLetter(front[k - 1]) || !isLetter(front[k])) {
      run = 0;
      continue;
    }
    ++pairs;
    const bool frequent = followsInWords(front[k - 1], front[k]);
    common += frequent ? 1 : 0;
    run = frequent ? run + 1 : 0;
    result.longest = std::max(result.longest, std::min(run, kLongestRun));
  }
  result.common = pairs == 0 ? 9 : common * 8 / pairs;
  return result;
}

// No token: the line begins or ends.
std::uint32_t markOf(const Token* token) {
  return token == nullptr
             ? 1
             : static_cast<std::uint32_t>(token->kind) * 512 +
                   static_cast<unsigned char>(token->sign) * 2U + (token->spaced ? 1U : 0U);
}

constexpr bool isWordOrMarker(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::marker;
}

// The word of token `i`, as a hash that is never 0.
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

// 0 for a feature that was not learned.
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

// Reads the features of one value; what several of them need is kept.
class Reading {
 public:
  Reading(const Line& line, std::size_t i, const Site& site, std::optional<RedactionKind> rule,
          Features& features)
      : line_(line),
        i_(i),
        site_(site),
        value_(line.textOf(site)),
        look_(lookOf(value_)),
        form_(look_.form * 2 + (site.quoted ? 1 : 0)),
        rule_(rule ? static_cast<std::uint32_t>(*rule) + 1 : 0),
        features_(features) {}

  void run() {
    value();
    before();
    behind();
    surroundings();
    letters();
    rules();
    names();
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
    const LetterPairs pairs = pairsOf(value_);
    add(About::pairs, pairs.common * 8 + pairs.longest, lengthClass(value_.size()));
    const Token& token = line_.tokens[i_];
    constexpr std::uint32_t kQuoted = 15;
    add(About::family,
        (token.kind == TokenKind::word ? static_cast<std::uint32_t>(token.family) : kQuoted) * 2 +
            (isProseWord(value_) ? 1U : 0U),
        form_);
    const auto mark = [](char c) {
      const std::uint32_t kind = classOf(c);
      return kind == kSignLook ? static_cast<unsigned char>(c) : kind;
    };
    add(About::ends, mark(value_.front()) * 256U + mark(value_.back()), site_.quoted ? 1 : 0);
    constexpr std::size_t kLongestWhole = 24;
    if (value_.size() <= kLongestWhole) {
      add(About::whole, caselessHash(value_));
    }
    constexpr std::size_t kLongestPrefix = 8;
    std::size_t prefix = 0;
    while (prefix < std::min(value_.size(), kLongestPrefix) && isLetter(value_[prefix])) {
      ++prefix;
    }
    if (prefix < value_.size()) {
      const std::uint32_t hash =
          mixed(caselessHash(value_.substr(0, prefix)), mark(value_[prefix]));
      add(About::prefix, hash);
      add(About::prefixForm, hash, look_.form);
    }
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
    word1_ = hashes[0];
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
    add(About::nextSign, sign, form_);
    const std::size_t end = std::min(line_.tokens.size(), after + kTokensBehind);
    std::size_t count = 0;
    for (std::size_t k = after; k < end && count < kWordsBehind; ++k) {
      if (isWordOrMarker(line_.tokens[k])) {
        add(count == 0 ? About::next1 : About::next2, wordOf(line_, k));
        if (count == 0) {
          add(About::nextForm, wordOf(line_, k), form_);
        }
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
        add(About::callForm, wordOf(line_, bracket.nameToken), form_);
      }
    }
    const Token& start = line_.tokens.front();
    const std::uint32_t first = start.kind == TokenKind::word ? wordOf(line_, 0) : markOf(&start);
    add(About::first, first);
    const Key key = keyOf(line_, i_);
    add(About::key,
        static_cast<std::uint32_t>(key.family) * 4 + static_cast<std::uint32_t>(key.sign), form_);
  }

  // What the rules say is one voice among many.
  void rules() {
    add(About::rule, rule_, form_);
    add(About::ruleSigns, rule_, signs_);
    add(About::ruleContext, rule_ * 16 + static_cast<std::uint32_t>(line_.context), distance());
    add(About::ruleWord1, rule_, word1_);
    if (std::ranges::any_of(value_.substr(0, kLookFront), isDigit)) {
      const std::uint32_t codes = line_.isNearCodes() ? 1 : 0;
      add(About::topic, codes, rule_ * 16 + static_cast<std::uint32_t>(line_.context));
      add(About::topicForm, codes, form_);
    }
  }

  // The parts of the key's name: "input", "token" of input_token.
  void names() {
    const Key key = keyOf(line_, i_);
    if (!key.named()) {
      return;
    }
    constexpr std::size_t kLongestName = 64;
    constexpr std::size_t kMostParts = 4;
    constexpr std::size_t kEdge = 3;
    std::string_view name = line_.textOf(line_.tokens[key.token]).substr(0, kLongestName);
    const std::string_view last = lastPart(name);
    add(About::keyForm, caselessHash(last), form_);
    if (last.size() >= kEdge) {
      add(About::keyFront, caselessHash(last.substr(0, kEdge)), form_);
      add(About::keyEnd, caselessHash(last.substr(last.size() - kEdge)), form_);
    }
    for (std::size_t count = 0; count < kMostParts; ++count) {
      const std::string_view part = lastPart(name);
      if (part.empty()) {
        break;
      }
      add(About::keyPart, caselessHash(part), static_cast<std::uint32_t>(key.sign));
      add(About::keyPartForm, caselessHash(part), look_.classes);
      name = name.substr(0, static_cast<std::size_t>(part.data() - name.data()));
    }
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

  // How far behind the last word that announced a secret.
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
  std::uint32_t rule_;
  Features& features_;
  std::uint32_t word1_ = 0;
  std::uint32_t looks_ = 0;
  std::uint32_t signs_ = 0;
};

}  // namespace

void readFeatures(const Line& line, std::size_t i, const Site& site,
                  std::optional<RedactionKind> rule, Features& features) {
  Reading(line, i, site, rule, features).run();
}

int learnedScore(const Line& line, std::size_t i, const Site& site,
                 std::optional<RedactionKind> rule) {
  Features features;
  readFeatures(line, i, site, rule, features);
  int score = 0;
  for (const Feature feature : features.all()) {
    score += weightOf(feature);
  }
  return score;
}

}  // namespace auth_errors::domain
