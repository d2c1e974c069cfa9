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

// Number of following lines on which a label still announces a value.
constexpr int kCarriedLines = 4;
// Deeper nested brackets and quotes are ignored.
constexpr std::size_t kDeepestBracket = 32;
constexpr std::size_t kDeepestQuote = 16;

// Reused from line to line to avoid allocations.
struct LineBuffers {
  std::vector<Token> tokens;
  std::vector<Bracket> brackets;
  std::vector<std::size_t> quotes;  // open quotes, by the token that closes each
  std::vector<std::uint32_t> wordHashes;
};

// PASS, AUTH, -password, requirepass, lautet, value
bool introducesWord(const Line& line, std::size_t i) {
  const std::string_view word = line.textOf(line.tokens[i]);
  return line.tokens[i].family == Family::value || word.front() == '-' || word.front() == '/' ||
         !line.tokens[i].letters || isOf(word.back(), kUpperChar) || isPredicate(word) ||
         announcesSecret(line.tokens[i].family) || word == "auth";
}

// A word of letters after another word: a value only after a verb or an option.
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
  return (previous.kind == TokenKind::sign && previous.sign != '=' && previous.sign != '>') ||
         previous.kind == TokenKind::close || previous.kind == TokenKind::marker;
}

// The bracket at token `i`, described by the name before it, or else by its key.
Bracket opened(const Line& line, std::size_t i) {
  const Token& open = line.tokens[i];
  Bracket bracket{.open = open.sign};
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

// Passes properties of the outer bracket on to the inner one.
void inherit(const Bracket& outer, Bracket& inner) {
  // {basic_auth,{<<"icinga">>,<<"x">>}}
  if (outer.index == 1 && outer.firstWords == 1 && outer.firstTakes) {
    inner.credentials = true;
  }
  // ("password", QVariant(QString, "x")): a wrapper inherits the properties of its value.
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

// True if a value that the rules leave should be weighed. Most values of a trace are words of
// sentences and names, which are as expensive to weigh as everything else together.
bool isWorthWeighing(const Line& line, std::size_t i, const Site& site) {
  constexpr std::size_t kShortest = 3;
  const std::string_view value = line.textOf(site);
  // A value alone on its line has no context, a token joined to a marker is not a value, and
  // identifiers have markers of their own.
  if (value.size() < kShortest || !line.hasWordsBeside(site) || isHarmlessValue(value) ||
      std::ranges::contains(line.identifiers, value) || markerLengthAt(line.text, site.end) != 0 ||
      (i > 0 && line.tokens[i - 1].kind == TokenKind::marker && !line.tokens[i].spaced)) {
    return false;
  }
  const bool announced = announcesSecret(line.context);
  const Token& token = line.tokens[i];
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
  // On a line that announces a secret, an id, a name or a number may be the secret, but a date, a
  // version or an algorithm is not.
  return announced && !isAlgorithm(value) && (!isDigit(value.front()) || allOf(value, kDigitChar));
}

// oldpass=alt: an assignment to the name of a secret is always one.
bool isAssigned(const Line& line, std::size_t i) {
  const Key key = keyOf(line, i);
  return key.sign == Sign::assigned && announcesSecret(key.family) &&
         key.family != Family::plainCode && key.family != Family::key;
}

// Combines rules and weights. A value that the rules leave is redacted if the weights estimate the
// probability of a secret as at least one in four, since a lost word costs less than a leak; a
// value that the rules redact is kept below a probability of one in thirteen. Words of `prose` are
// judged by the weights alone.
std::optional<RedactionKind> judgeTwice(const Line& line, std::size_t i, const Site& site,
                                        bool prose) {
  constexpr int kRedactAbove = -kScoreUnit;
  constexpr int kKeepBelow = -5 * kScoreUnit / 2;
  if (const auto kind = prose ? std::nullopt : judge(line, i, site)) {
    return isAssigned(line, i) || learnedScore(line, i, site) >= kKeepBelow ? kind : std::nullopt;
  }
  if (!isWorthWeighing(line, i, site) || learnedScore(line, i, site) <= kRedactAbove ||
      line.isAllowed(line.textOf(site)) || line.isNameOfFrame(site)) {
    return std::nullopt;
  }
  return announcesSecret(line.context) ? kindOf(line.context) : RedactionKind::opaque;
}

// Walks along a line, tracks its brackets, quotes and labels, and applies `Judge` to each value:
// judge(line, i, site, prose) returns the kind of a secret.
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
        // A match that was widened to the left stops at the text already written.
        match->begin = std::max(match->begin, done);
        redact(*match);
        done = match->end;
      }
    }
  }

  // The label that may apply to the next line.
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

  // Records words that announce something for the rest of the line.
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

  // True if the quote at token `i` closes an earlier one.
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

// A blank line, or one with only a number.
bool isMargin(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return isBlank(c) || c == '#' || isDigit(c); });
}

// True if the line may contain a value or a label.
bool hasWords(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return isAlnum(c) || static_cast<unsigned char>(c) >= 0x80; });
}

// Judges the values of each line, from left to right, and calls `redact` with each match.
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
                        bool) -> std::optional<RedactionKind> {
    visit(line, i, site);
    return std::nullopt;
  };
  walkSites(text, nullptr, {}, look, [](const Match&) {});
}

}  // namespace auth_errors::domain
