#include "domain/scrub/sites.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/lexer.h"
#include "domain/scrub/line.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_bounds.h"
#include "domain/scrub/site_judge.h"
#include "domain/scrub/site_keys.h"
#include "domain/scrub/site_learned.h"
#include "domain/scrub/site_prose.h"
#include "domain/scrub/text.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

// A label on one line announces a value on the next ones.
constexpr int kCarriedLines = 4;
// Brackets and quotes that are nested deeper are not followed.
constexpr std::size_t kDeepestBracket = 32;
constexpr std::size_t kDeepestQuote = 16;

// Kept from line to line for their memory.
struct LineBuffers {
  std::vector<Token> tokens;
  std::vector<Bracket> brackets;
  std::vector<std::size_t> quotes;  // that are open, by the token that closes each
  std::vector<std::uint32_t> wordHashes;
};

// How far behind its label a plain word is looked at, in bytes.
constexpr std::size_t kLabelReach = 40;

// PASS, AUTH, -password, requirepass, lautet, value
bool introducesWord(const Line& line, std::size_t i) {
  const std::string_view word = line.textOf(line.tokens[i]);
  return line.tokens[i].family == Family::value || word.front() == '-' || word.front() == '/' ||
         !line.tokens[i].letters || isOf(word.back(), kUpperChar) || isPredicate(word) ||
         announcesSecret(line.tokens[i].family) || word == "auth";
}

// A word of letters behind another word: nothing but a verb or an option before it makes it a
// value.
bool isPlainProse(const Line& line, std::size_t i) {
  const Token& token = line.tokens[i];
  if (!token.letters || token.end - token.begin >= kShortestOpaque || i == 0 ||
      !isCased(line.textOf(token)) ||
      (!line.brackets.empty() &&
       (line.brackets.back().credentials || announcesSecret(line.brackets.back().first)))) {
    return false;
  }
  const Token& previous = line.tokens[i - 1];
  if (previous.kind == TokenKind::word) {
    return !introducesWord(line, i - 1) &&
           (i < 2 || line.tokens[i - 2].kind != TokenKind::word || !introducesWord(line, i - 2)) &&
           (i + 1 == line.tokens.size() || line.tokens[i + 1].kind != TokenKind::open) &&
           token.end - token.begin != 2;
  }
  // password: sunflower, "the new password for bob: sunflower"
  if (previous.kind == TokenKind::sign && previous.sign == ':' && token.spaced &&
      !previous.spaced && announcesSecret(line.context) && line.context != Family::plainCode &&
      line.contextAt <= token.begin && token.begin - line.contextAt < kLabelReach) {
    return false;
  }
  return (previous.kind == TokenKind::sign && previous.sign != '=' && previous.sign != '>') ||
         previous.kind == TokenKind::close || previous.kind == TokenKind::marker;
}

// What is known about the bracket at token `i`: by the name before it, else by its key.
Bracket opened(const Line& line, std::size_t i) {
  const Token& open = line.tokens[i];
  Bracket bracket{.open = open.sign, .begin = open.begin};
  // valid?( and fetch!(
  const Token* name = line.before(i);
  const bool asks =
      name != nullptr && name->kind == TokenKind::sign && name->sign == '?' && !open.spaced;
  if (asks) {
    name = line.before(i, 2);
  }
  const bool named = name != nullptr && name->kind == TokenKind::word;
  if (named && (!open.spaced || open.sign == '{' ||
                (open.sign == '(' && takesCredentials(line.textOf(*name))))) {
    const bool announced = announcesSecret(name->family);
    bracket.nameToken = i - (asks ? 2 : 1);
    bracket.label = announced && !open.spaced ? name->family : Family::none;
    bracket.credentials = announced || takesCredentials(line.textOf(*name));
    const Family key = keyOf(line, bracket.nameToken).family;
    if (announcesSecret(key) && key != Family::plainCode) {
      bracket.label = key;
      bracket.credentials = true;
      bracket.keyed = true;
    }
  } else if (named && name->family == Family::value && open.sign == '[') {
    bracket.label = Family::value;  // params ["x"]
  } else {
    const Key key = keyOf(line, i);
    if (key.family == Family::value) {
      bracket.label = Family::value;
    } else if (key.named() && key.family == Family::none) {
      bracket.otherKey = true;
    } else if (announcesSecret(key.family)) {
      bracket.label = key.family;
      bracket.credentials =
          key.family != Family::plainCode &&
          (key.family != Family::key || takesCredentials(line.textOf(line.tokens[key.token])));
    }
  }
  bracket.credentials =
      bracket.credentials || (bracket.label == Family::value && announcesSecret(line.context));
  return bracket;
}

// What the bracket around it tells about a bracket.
void inherit(const Bracket& outer, Bracket& inner) {
  // {basic_auth,{<<"icinga">>,<<"x">>}}
  if (outer.index == 1 && outer.firstWords == 1 && outer.firstTakes) {
    inner.credentials = true;
  }
  // ("password", QVariant(QString, "x")): what wraps a value passes on what is known about it.
  if (!inner.credentials && outer.credentials && inner.open != '{') {
    inner.credentials = true;
    inner.label = outer.label;
    inner.index = outer.index;
  }
}

// io.jsonwebtoken.ExpiredJwtException
bool isDottedName(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return isLetter(c) || c == '.'; });
}

// 30 minutes
bool isDuration(std::string_view value) {
  const std::size_t digits = runEnd(value, 0, kDigitChar);
  return digits > 0 && digits + 1 < value.size() && value[digits] == ' ' &&
         allOf(value.substr(digits + 1), kLowerChar);
}

// Whether the weights are asked about a value that the rules leave. Most values of a trace are
// words of sentences and names, which cost as much to weigh as all the rest.
bool isWorthWeighing(const Line& line, std::size_t i, const Site& site) {
  constexpr std::size_t kShortest = 3;
  const std::string_view value = line.textOf(site);
  // Nothing is known about a value alone on its line, what is joined to a marker is not a value,
  // and identifiers have markers of their own.
  if (value.size() < kShortest || !line.hasWordsBeside(site) || isHarmlessValue(value) ||
      std::ranges::contains(line.identifiers, value) || markerLengthAt(line.text, site.end) != 0 ||
      (i > 0 && line.tokens[i - 1].kind == TokenKind::marker && !line.tokens[i].spaced)) {
    return false;
  }
  const bool announced = announcesSecret(line.context);
  if (isIdOfSecret(line, i) || isDuration(value)) {
    return false;
  }
  if (followsDigestName(line, i) && (!announced || line.context == Family::key)) {
    return false;
  }
  const Token& token = line.tokens[i];
  // A line begins with a name.
  if (i == 0 && token.letters && !site.quoted) {
    return false;
  }
  // password2=x: a key
  const Token* const behind = line.behind(i);
  if (behind != nullptr && behind->kind == TokenKind::sign && behind->sign == '=' &&
      !behind->spaced && announcesSecret(token.family)) {
    return false;
  }
  if (!site.quoted && (token.letters ? token.family != Family::none || isProseWord(value)
                                     : !announced && isDottedName(value))) {
    return false;
  }
  if (!isHarmlessShape(value) && !isUuid(value)) {
    return true;
  }
  // Where a secret is spoken of, an id, a name or a number may be it, but not a date, a version or
  // an algorithm.
  return announced && !isAlgorithm(value) && (!isDigit(value.front()) || allOf(value, kDigitChar));
}

// oldpass=alt: nothing speaks against what is assigned to the name of a secret.
bool isAssigned(const Line& line, std::size_t i) {
  const Key key = keyOf(line, i);
  return key.sign == Sign::assigned && announcesSecret(key.family) &&
         key.family != Family::plainCode && key.family != Family::key;
}

// What the rules take a value for. A frame's own names may look like a password: User#save!
std::optional<RedactionKind> ruled(const Line& line, std::size_t i, const Site& site) {
  const auto kind = judge(line, i, site);
  return kind == RedactionKind::opaque && line.isNameOfFrame(site) ? std::nullopt : kind;
}

// Whether the weights have a say about a value. `rule`: what the rules take it for.
bool isWeighed(const Line& line, std::size_t i, const Site& site,
               std::optional<RedactionKind> rule) {
  return rule ? !isAssigned(line, i)
              : isWorthWeighing(line, i, site) && !line.isAllowed(line.textOf(site)) &&
                    !line.isNameOfFrame(site);
}

// Rules and weights together: what the rules say is one of the features. A lost word costs less
// than a leak. Words of `prose` are left to the weights.
std::optional<RedactionKind> judgeTwice(const Line& line, std::size_t i, const Site& site,
                                        bool prose) {
  constexpr int kRedactAbove = -kScoreUnit;
  constexpr int kKeepBelow = -5 * kScoreUnit / 2;
  const auto rule = prose ? std::nullopt : ruled(line, i, site);
  if (!isWeighed(line, i, site, rule)) {
    return rule;
  }
  if (learnedScore(line, i, site, rule) <= (rule ? kKeepBelow : kRedactAbove)) {
    return std::nullopt;
  }
  if (rule) {
    return rule;
  }
  return announcesSecret(line.context) ? kindOf(line.context) : RedactionKind::opaque;
}

// Walks along a line, keeps its brackets, quotes and labels, and has each value judged by `Judge`:
// judge(line, i, site, prose) gives the kind of a secret.
template <typename Judge>
class LineWalk {
 public:
  LineWalk(std::string_view text, std::string_view whole, LineBuffers& buffers,
           const ScrubPatterns* patterns, const Identifiers& identifiers, Family carried,
           const Judge& judge)
      : line_{.text = text,
              .tokens = buffers.tokens,
              .patterns = patterns,
              .brackets = buffers.brackets,
              .context = carried,
              .wordHashes = buffers.wordHashes,
              .whole = whole,
              .identifiers = identifiers},
        quotes_(buffers.quotes),
        judge_(judge) {
    line_.brackets.clear();
    quotes_.clear();
    line_.wordHashes.assign(line_.tokens.size(), 0);
    for (const Token& token : line_.tokens) {
      if (token.letters || token.family != Family::none) {
        line_.firstWord = std::min<std::size_t>(line_.firstWord, token.begin);
        line_.lastWord = token.begin;
      }
    }
  }

  // Calls `redact` with each match, from left to right.
  template <typename Redact>
  void run(Redact redact) {
    std::size_t done = 0;
    for (std::size_t i = 0; i < line_.tokens.size(); ++i) {
      if (line_.tokens[i].begin < done) {
        continue;
      }
      if (auto match = step(i)) {
        // One that was widened to its front stops at what is written already.
        match->begin = std::max(match->begin, done);
        redact(*match);
        done = match->end;
      }
    }
  }

  // The label that the next line may belong to.
  [[nodiscard]] Family lastLabel() const { return lastLabel_; }

 private:
  std::optional<Match> step(std::size_t i) {
    const Token& token = line_.tokens[i];
    switch (token.kind) {
      case TokenKind::open:
        open(i);
        return bytesOf(line_, i);
      case TokenKind::close:
        if (!line_.brackets.empty()) {
          line_.brackets.pop_back();
        }
        return std::nullopt;
      case TokenKind::sign:
        if (token.sign == ',' && !line_.brackets.empty()) {
          ++line_.brackets.back().index;
        }
        return std::nullopt;
      case TokenKind::marker:
        return std::nullopt;
      case TokenKind::quote:
        if (closes(i)) {
          return std::nullopt;
        }
        line_.closing = closingQuoteOf(line_, i);
        if (line_.closing != kNoToken && quotes_.size() < kDeepestQuote) {
          quotes_.push_back(line_.closing);
        }
        break;
      case TokenKind::word:
        break;
    }
    const bool prose = isPlainProse(line_, i);
    const auto match = prose && line_.brackets.empty() ? std::nullopt : valueAt(i, prose);
    if (!match) {
      note(i);
    }
    return match;
  }

  // The value that begins with token `i`, if it is a secret.
  [[nodiscard]] std::optional<Match> valueAt(std::size_t i, bool prose) const {
    if (const auto dump = prose ? std::nullopt : hexDumpAt(line_, i)) {
      return dump;
    }
    auto site = siteAt(line_, i);
    if (!site) {
      return std::nullopt;
    }
    if (const auto password = radiusPassword(line_, i)) {
      return Match{.begin = *password, .end = site->end, .kind = RedactionKind::password};
    }
    const auto kind = judge_(line_, i, *site, prose);
    if (!kind) {
      return std::nullopt;
    }
    widen(line_, i, *kind, *site);
    return Match{.begin = site->begin, .end = site->end, .kind = *kind};
  }

  // Words that announce something are remembered for what follows on the line.
  void note(std::size_t i) {
    const Token& token = line_.tokens[i];
    if (token.kind != TokenKind::word) {
      return;
    }
    if (announcesSecret(token.family)) {
      line_.contextAt = token.end;
      line_.contextToken = i;
      if (token.family != Family::plainCode || !announcesSecret(line_.context)) {
        line_.context = token.family;
      }
      lastLabel_ = line_.context;
    }
    if (!line_.brackets.empty() && line_.brackets.back().index == 0) {
      Bracket& bracket = line_.brackets.back();
      if (bracket.firstWords == 0) {
        bracket.first = token.family;
        bracket.firstTakes = takesCredentials(line_.textOf(token));
      }
      ++bracket.firstWords;
    }
  }

  void open(std::size_t i) {
    Bracket bracket = opened(line_, i);
    if (!line_.brackets.empty()) {
      inherit(line_.brackets.back(), bracket);
    }
    if (line_.brackets.size() < kDeepestBracket) {
      line_.brackets.push_back(bracket);
    }
  }

  // Whether the quote at token `i` ends one that was opened before.
  bool closes(std::size_t i) {
    while (!quotes_.empty() && quotes_.back() < i) {
      quotes_.pop_back();
    }
    return std::ranges::contains(quotes_, i);
  }

  Line line_;
  std::vector<std::size_t>& quotes_;
  const Judge& judge_;
  Family lastLabel_ = Family::none;
};

// A blank line, or one with nothing but a number.
bool isMargin(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return isBlank(c) || c == '#' || isDigit(c); });
}

// Whether anything on the line can be a value or a label.
bool hasWords(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return isAlnum(c) || static_cast<unsigned char>(c) >= 0x80; });
}

// Has the values of each line judged, from left to right, and calls `redact` with each match.
template <typename Judge, typename Redact>
void walkSites(std::string_view text, const ScrubPatterns* patterns, const Identifiers& identifiers,
               const Judge& judge, Redact redact) {
  LineBuffers buffers;
  Family carried = Family::none;
  int carriedLines = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (isPlainFrame(line)) {
      carried = Family::none;
    } else {
      Family label = Family::none;
      if (hasWords(line)) {
        readTokens(text, begin, end, buffers.tokens);
        LineWalk walk(text, line, buffers, patterns, identifiers, carried, judge);
        walk.run(redact);
        label = walk.lastLabel();
      }
      if (label != Family::none) {
        carried = label;
        carriedLines = kCarriedLines;
      } else if (!isMargin(line) && --carriedLines <= 0) {
        carried = Family::none;
      }
    }
    begin = end + 1;
  }
}

}  // namespace

bool redactSites(ScrubbedFront& target, const ScrubPatterns* patterns,
                 const Identifiers& identifiers, RedactionCounts& counts) {
  const std::string_view text = target.text;
  Rewriting rewriting(target);
  walkSites(text, patterns, identifiers, judgeTwice, [&](Match match) {
    while (match.end < text.size() && isContinuationByte(text[match.end])) {
      ++match.end;
    }
    rewriting.replace(match.begin, match.end, match.kind, counts);
  });
  return rewriting.finish();
}

void forEachSite(std::string_view text, const SiteVisitor& visit) {
  const auto look = [&](const Line& line, std::size_t i, const Site& site,
                        bool prose) -> std::optional<RedactionKind> {
    const auto rule = prose ? std::nullopt : ruled(line, i, site);
    if (!isWeighed(line, i, site, rule)) {
      return rule;
    }
    return visit(line, i, site, rule) ? std::optional(RedactionKind::opaque) : std::nullopt;
  };
  walkSites(text, nullptr, {}, look, [](const Match&) {});
}

}  // namespace auth_errors::domain
