#include "domain/scrub/site_keys.h"

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

// The sign that joins the value at token `i` to what stands before it.
std::optional<std::size_t> signBefore(const Line& line, std::size_t i) {
  std::size_t k = i;
  // b'…', u'…', <<"…">>
  if (k > 0 && line.tokens[k].kind == TokenKind::quote &&
      line.tokens[k - 1].kind == TokenKind::word && !line.tokens[k].spaced &&
      line.tokens[k - 1].end - line.tokens[k - 1].begin == 1) {
    --k;
  }
  if (k > 0 && line.tokens[k - 1].kind == TokenKind::open &&
      (line.tokens[k - 1].sign == '<' ||
       (line.tokens[k - 1].sign == '[' && line.tokens[i].kind == TokenKind::word))) {
    --k;
  }
  if (k > 0 && line.tokens[k - 1].kind == TokenKind::quote &&
      line.tokens[k].kind == TokenKind::word) {
    --k;
  }
  // password = 0x602030 "x", string(7) "x"
  if (k > 1 && line.tokens[k].kind == TokenKind::quote &&
      line.tokens[k - 1].kind == TokenKind::word &&
      line.textOf(line.tokens[k - 1]).starts_with("0x")) {
    --k;
  }
  if (k == 0 || line.tokens[k - 1].kind != TokenKind::sign) {
    return std::nullopt;
  }
  const Token& sign = line.tokens[k - 1];
  // <SignatureProvided>x
  if (sign.sign == '>' && k >= 3 && !line.tokens[k].spaced &&
      line.tokens[k - 2].kind == TokenKind::word && line.tokens[k - 3].sign == '<') {
    return k - 1;
  }
  // :: of names, :// of URLs
  const bool doubled =
      k > 1 && line.tokens[k - 2].kind == TokenKind::sign && line.tokens[k - 2].end == sign.begin;
  // unicodePwd:: IgBO…, as LDIF writes Base64
  const bool ldif = doubled && line.tokens[i].spaced && line.tokens[k - 2].sign == ':';
  if ((sign.sign != '=' && sign.sign != ':') || (doubled && !ldif)) {
    return std::nullopt;
  }
  return k - 1;
}

}  // namespace

Key keyOf(const Line& line, std::size_t i) {
  const auto sign = signBefore(line, i);
  if (!sign) {
    return {};
  }
  Key key{.sign = line.tokens[*sign].sign == ':' ? Sign::stated : Sign::assigned};
  constexpr std::size_t kMostBetween = 3;
  std::size_t k = *sign;
  while (k > 0 && *sign - k < kMostBetween &&
         (line.tokens[k - 1].kind == TokenKind::quote ||
          line.tokens[k - 1].kind == TokenKind::close ||
          (line.tokens[k - 1].sign == ':' && line.tokens[k - 1].end == line.tokens[k].begin))) {
    --k;
  }
  if (k > 0 && line.tokens[k - 1].kind == TokenKind::word) {
    key.token = k - 1;
    key.family = line.tokens[k - 1].family;
  }
  return key;
}

bool isIdOfSecret(const Line& line, std::size_t i) {
  if (i < 3) {
    return false;
  }
  const auto is = [&](std::size_t distance, std::string_view word) {
    return equalsWord(line.textOf(line.tokens[i - distance]), word);
  };
  return (line.tokens[i - 1].sign == '[' && is(2, "key") && is(3, "api")) ||
         (line.tokens[i - 1].sign == '<' && line.tokens[i - 2].sign == '=' && is(3, "session"));
}

}  // namespace auth_errors::domain
