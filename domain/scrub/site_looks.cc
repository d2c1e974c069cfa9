#include "domain/scrub/site_looks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_prose.h"
#include "domain/scrub/text.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

// Includes sdk-550e8400-e29b-41d4-a716-446655440000.
bool endsWithUuid(std::string_view value) {
  constexpr std::size_t kLength = 36;
  return value.size() >= kLength && isUuid(value.substr(value.size() - kLength));
}

// %2526user%253Dbob, \u0026user: examines the pieces between the escapes.
bool hasGeneratedPiece(std::string_view value, std::size_t shortest) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= value.size(); ++at) {
    const std::string_view rest = value.substr(at);
    const std::size_t escape = rest.starts_with("%25")   ? 5
                               : rest.starts_with('%')   ? 3
                               : rest.starts_with("\\u") ? 6
                                                         : 0;
    if (escape == 0 && !rest.empty()) {
      continue;
    }
    if (looksGenerated(value.substr(begin, at - begin), shortest)) {
      return true;
    }
    begin = std::min(at + escape, value.size());
    at = std::max(begin, at + 1) - 1;
  }
  return false;
}

// KRUGS4ZANFZSAYJA: Base32
bool isUpperToken(std::string_view value) {
  return allOf(value, kDigitChar | kUpperChar) && std::ranges::any_of(value, isDigit) &&
         !isDigit(value.back()) && !isDigit(value.front());
}

// 64 bits in one case: ids of spans, threads and requests.
bool isLikelyId(std::string_view value) {
  constexpr std::size_t kLength = 16;
  return value.size() == kLength &&
         (allOf(value, kDigitChar | kUpperChar) || allOf(value, kDigitChar | kLowerChar));
}

// "5.7.8 … q12-20020a05600c330c00b0041bf7da974csm - gsmtp"
bool isMailReceipt(const Line& line, std::size_t i, const Site& site) {
  const std::size_t k = line.tokenBehind(i, site);
  return k + 1 < line.tokens.size() && line.textOf(line.tokens[k + 1]) == "gsmtp";
}

// A noun whose value is harmless: request, commit, trace, pod.
bool followsNoun(const Line& line, std::size_t i) {
  const Token* word = nullptr;
  for (std::size_t k = i; k-- > 0 && i - k <= 3 && word == nullptr;) {
    const Token& token = line.tokens[k];
    if (token.kind == TokenKind::word) {
      word = &token;
    } else if (token.kind != TokenKind::quote && token.kind != TokenKind::open &&
               token.sign != ':') {
      return false;
    }
  }
  static constexpr WordSet kVouching(
      std::to_array<std::string_view>({"matches", "matching", "as", "by", "using", "named"}));
  return word != nullptr &&
         (word->family == Family::harmless || kVouching.contains(line.textOf(*word)));
}

// True if a path, unless it is a file's, has a long generated segment.
bool pathHoldsSecret(std::string_view path) {
  if (isHarmlessShape(path)) {
    return false;
  }
  // Links mailed to a person: the token follows, and may be shorter.
  static constexpr WordSet kLinks(
      std::to_array<std::string_view>({"reset", "verify", "magic", "invite", "confirm", "activate",
                                       "activation", "unlock", "recover"}));
  constexpr std::size_t kShortestLink = 8;
  // Cache folders are named by a hash: /go/pkg/mod/cache/vcs/9d24e27e…
  constexpr auto kRoots =
      std::to_array<std::string_view>({"/go/", "/usr/", "/var/", "/home/", "/opt/", "/srv/",
                                       "/app/", "/tmp/", "/root/", "/nix/", "/Users/", "/run/"});
  const bool stored =
      std::ranges::any_of(kRoots, [&](std::string_view root) { return path.starts_with(root); });
  std::size_t shortest = kShortestOpaque;
  bool secret = false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    // ObjectIds and similar ids
    const bool id = shortest == kShortestOpaque &&
                    (segment.size() == 24 || segment.size() == 16 || segment.size() == 40) &&
                    allOf(segment, kHexChar);
    const bool hashed =
        stored && std::ranges::all_of(segment, [](char c) { return isOf(c, kHexChar); });
    secret = secret || (!id && !hashed && segment.size() >= shortest &&
                        (!isUuid(segment) || shortest == kShortestLink) &&
                        !isHarmlessShape(segment) && looksGenerated(segment, shortest));
    shortest = kLinks.contains(segment) ? kShortestLink : shortest;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return secret;
}

}  // namespace

std::optional<RedactionKind> byLooks(const Line& line, std::size_t i, const Site& site,
                                     std::string_view value) {
  const bool spoken = announcesSecret(line.context);
  const bool context = spoken && line.contextAt != std::string_view::npos &&
                       site.begin - std::min(line.contextAt, site.begin) < kReachBytes;
  const std::size_t shortest = context ? 12 : kShortestOpaque;
  const std::string_view stripped = value.substr(0, std::min(value.find('='), value.size()));
  const bool padded = spoken && value.size() >= 8 && value.ends_with('=') &&
                      !looksLikeWords(stripped) && !looksLikeIdentifier(stripped);
  const bool encoded = spoken && isEncodedText(value);
  if ((value.size() < shortest && !padded && !encoded && !value.contains('/')) ||
      (site.quoted && (value.contains(' ') || line.tokens[i].kind == TokenKind::quote)) ||
      endsWithUuid(value) || followsNoun(line, i) || followsDigestName(line, i) ||
      line.isAllowed(value)) {
    return std::nullopt;
  }
  if (padded || (spoken && isEncodedText(value) && !isHarmlessShape(value))) {
    return kindOf(line.context);
  }
  if (value.contains('/')) {
    return pathHoldsSecret(value) ? std::optional(RedactionKind::opaque) : std::nullopt;
  }
  const Token* next = line.behind(i);
  const bool key = next != nullptr && next->begin == site.end && next->sign == '=';
  // [orders,65c9f3a1e0b74d2f8a1b3c5d7e9f0a12,8a1b3c5d7e9f0a12]
  const bool traced = !line.brackets.empty() && line.brackets.back().open == '[' &&
                      line.brackets.back().index >= 1 &&
                      !announcesSecret(line.brackets.back().first) &&
                      line.brackets.back().firstWords == 1 &&
                      (value.size() == 16 || value.size() == 32) && allOf(value, kHexChar);
  if (traced && !context) {
    return std::nullopt;
  }
  const bool generated = hasGeneratedPiece(value, shortest) || (context && isUpperToken(value));
  // A line of a canonical request.
  const bool digest =
      line.tokens.size() == 1 && !spoken && value.size() == 64 && allOf(value, kHexChar);
  if (digest) {
    return std::nullopt;
  }
  const bool beside = i > 0 && announcesSecret(line.tokens[i - 1].family);
  if (isHarmlessShape(value) || !generated || (!beside && isLikelyId(value)) ||
      isMailReceipt(line, i, site) || key) {
    return std::nullopt;
  }
  return context ? kindOf(line.context) : RedactionKind::opaque;
}

}  // namespace auth_errors::domain
