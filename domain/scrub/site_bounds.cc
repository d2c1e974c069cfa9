#include "domain/scrub/site_bounds.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_arguments.h"
#include "domain/scrub/site_keys.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

bool isCodeGroup(std::string_view text) { return text.size() == 3 && allOf(text, kDigitChar); }

bool isByte(std::string_view word) {
  return word.size() <= 4 && (allOf(word, kDigitChar) || word.starts_with("0x"));
}

}  // namespace

std::size_t closingQuoteOf(const Line& line, std::size_t i) {
  constexpr std::size_t kLongest = 512;
  const Token& open = line.tokens[i];
  for (std::size_t k = i + 1; k < line.tokens.size() && line.tokens[k].begin - open.end <= kLongest;
       ++k) {
    const Token& other = line.tokens[k];
    // `x' in GNU style.
    const bool same = other.sign == open.sign || (open.sign == '`' && other.sign == '\'');
    if (other.kind == TokenKind::quote && same &&
        (other.end - other.begin == open.end - open.begin || open.end - open.begin > 2)) {
      return k;
    }
  }
  return kNoToken;
}

std::optional<Site> siteAt(const Line& line, std::size_t i) {
  const Token& token = line.tokens[i];
  if (token.kind == TokenKind::quote) {
    const std::size_t close = line.closing;
    if (close == kNoToken || line.tokens[close].begin == token.end) {
      return std::nullopt;
    }
    for (std::size_t k = i + 1; k < close; ++k) {
      if (line.tokens[k].kind == TokenKind::marker) {
        return std::nullopt;
      }
    }
    return Site{.begin = token.end, .end = line.tokens[close].begin, .quoted = true};
  }
  // 550 172: a code in two groups.
  const Token* next = line.behind(i);
  if (next != nullptr && next->kind == TokenKind::word && next->begin == token.end + 1 &&
      isCodeGroup(line.textOf(token)) && isCodeGroup(line.textOf(*next))) {
    return Site{.begin = token.begin, .end = next->end, .quoted = false};
  }
  // A quoted text within a quoted text.
  const Token* previous = line.before(i);
  const bool enclosed = previous != nullptr && previous->kind == TokenKind::quote &&
                        !token.spaced && next != nullptr && next->kind == TokenKind::quote &&
                        next->begin == token.end;
  // Base64 ends with '='.
  constexpr std::size_t kShortestPadded = 8;
  std::size_t end = token.end;
  std::size_t k = i + 1;
  while (k < line.tokens.size() && line.tokens[k].kind == TokenKind::sign &&
         line.tokens[k].sign == '=' && line.tokens[k].begin == end &&
         line.tokens[k].end == end + 1) {
    const bool padding = k + 1 == line.tokens.size() || line.tokens[k + 1].spaced ||
                         (line.tokens[k + 1].kind == TokenKind::sign &&
                          std::string_view(",;&=<").contains(line.tokens[k + 1].sign)) ||
                         line.tokens[k + 1].kind == TokenKind::close || k + 1 == line.closing;
    if (!padding || token.end - token.begin < kShortestPadded ||
        looksLikeWords(line.textOf(token)) || looksLikeIdentifier(line.textOf(token))) {
      break;
    }
    end = line.tokens[k].end;
    ++k;
  }
  // LoginRequest(ingrid,Fjord&Fjell,None)
  if (!line.brackets.empty() && line.brackets.back().credentials &&
      line.brackets.back().index >= 1 && previous != nullptr && previous->sign == ',' &&
      line.brackets.back().open == '(') {
    while (k < line.tokens.size() && !line.tokens[k].spaced && line.tokens[k].begin == end &&
           (line.tokens[k].kind == TokenKind::word ||
            (line.tokens[k].kind == TokenKind::sign &&
             std::string_view("&:?|;").contains(line.tokens[k].sign)))) {
      end = line.tokens[k].end;
      ++k;
    }
  }
  return Site{.begin = token.begin, .end = end, .quoted = enclosed};
}

void widen(const Line& line, std::size_t i, RedactionKind kind, Site& site) {
  // /confirm-email/MTg:1rkWq7:Zt0p…: the parts of one token.
  if (kind == RedactionKind::opaque) {
    std::size_t k = i;
    while (k >= 2 && line.tokens[k - 1].sign == ':' &&
           line.tokens[k - 1].begin == line.tokens[k - 2].end && !line.tokens[k].spaced &&
           line.tokens[k - 2].kind == TokenKind::word &&
           line.tokens[k - 1].end == line.tokens[k].begin) {
      k -= 2;
      const std::size_t slash = line.textOf(line.tokens[k]).rfind('/');
      if (slash != std::string_view::npos) {
        site.begin = line.tokens[k].begin + slash + 1;
        break;
      }
    }
    return;
  }
  if (site.quoted || kind != RedactionKind::password) {
    return;
  }
  const Token* option = line.before(i);
  std::size_t end = site.end;
  const bool directive =
      option != nullptr && option->kind == TokenKind::word &&
      (line.textOf(*option) == "requirepass" || line.textOf(*option) == "masterauth");
  if (directive) {
    end = std::min(line.text.find_first_of("'\"\n", end), line.end());
  } else if (option != nullptr && option->kind == TokenKind::word &&
             isOption(line.textOf(*option))) {
    while (end < line.end() && !isOf(line.text[end], kSpaceChar | kQuoteChar)) {
      ++end;
    }
  } else if (keyOf(line, i).named()) {
    end = std::min(unquotedValueEnd(line.text, site.begin, false), line.end());
  }
  site.end = std::max(site.end, end);
}

std::optional<Match> bytesOf(const Line& line, std::size_t i) {
  constexpr std::size_t kFewest = 8;
  const Family family =
      announcesSecret(line.brackets.back().label) ? line.brackets.back().label : line.context;
  if (!announcesSecret(family) || line.tokens[i].sign == '(') {
    return std::nullopt;
  }
  std::size_t numbers = 0;
  std::size_t k = i + 1;
  while (k < line.tokens.size() && line.tokens[k].kind == TokenKind::word &&
         isByte(line.textOf(line.tokens[k]))) {
    ++numbers;
    ++k;
    if (k < line.tokens.size() && line.tokens[k].sign == ',') {
      ++k;
    }
  }
  const bool closed = k >= line.tokens.size() || line.tokens[k].kind == TokenKind::close;
  return closed && numbers >= kFewest ? std::optional(Match{.begin = line.tokens[i].end,
                                                            .end = line.tokens[k - 1].end,
                                                            .kind = kindOf(family)})
                                      : std::nullopt;
}

std::optional<Match> hexDumpAt(const Line& line, std::size_t i) {
  constexpr std::size_t kFewest = 8;
  if (!announcesSecret(line.context)) {
    return std::nullopt;
  }
  std::size_t k = i;
  while (k < line.tokens.size() && line.tokens[k].kind == TokenKind::word &&
         line.tokens[k].end - line.tokens[k].begin == 2 &&
         isOf(line.text[line.tokens[k].begin], kHexChar) &&
         isOf(line.text[line.tokens[k].begin + 1], kHexChar)) {
    ++k;
  }
  return k - i >= kFewest ? std::optional(Match{.begin = line.tokens[i].begin,
                                                .end = line.tokens[k - 1].end,
                                                .kind = kindOf(line.context)})
                          : std::nullopt;
}

std::optional<std::size_t> radiusPassword(const Line& line, std::size_t i) {
  const Token& token = line.tokens[i];
  const std::size_t slash =
      token.kind == TokenKind::word ? line.textOf(token).find('/') : std::string_view::npos;
  if (slash == std::string_view::npos || slash == 0 || i < 2 ||
      line.textOf(token).starts_with("host/") || line.tokens[i - 1].sign != '[' ||
      token.begin + slash + 1 >= token.end) {
    return std::nullopt;
  }
  constexpr std::size_t kNear = 160;
  const std::size_t begin =
      token.begin - std::min<std::size_t>(token.begin - line.tokens[0].begin, kNear);
  const std::string_view near = line.text.substr(begin, token.begin - begin);
  const bool login = near.contains("Login incorrect") || near.contains("Login OK");
  return login ? std::optional(token.begin + slash + 1) : std::nullopt;
}

}  // namespace auth_errors::domain
