#include "domain/scrub/families.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/scrub/name_parts.h"
#include "domain/scrub/text.h"
#include "domain/scrub/words.h"

namespace auth_errors::domain {
namespace {

using enum Family;

// A run of hexadecimal digits of this length at a name's end is no word of it.
constexpr std::size_t kLongSuffix = 12;

struct Suffix {
  std::string_view word;
  Family family;
};

Family stemOf(const NameParts& parts, std::size_t i) {
  // password1, otp2
  std::string_view word = parts.part(i);
  if (!isDigit(word.back())) {
    return parts.known(i).family;
  }
  while (word.size() > 3 && isDigit(word.back())) {
    word.remove_suffix(1);
  }
  return knownWord(word).family;
}

// dbpass, SMSESSION, ASPXAUTH, mytoken: run together with what stands before the stem.
Family suffixOf(const NameParts& parts, std::size_t i) {
  constexpr auto kSuffixes = std::to_array<Suffix>(
      {{"password", password}, {"passwd", password}, {"passwort", password},
       {"pass", password},     {"pwd", password},    {"secret", Family::secret},
       {"token", token},       {"apikey", token},    {"secretkey", token},
       {"signature", token},   {"session", session}, {"sessionid", session},
       {"sessid", session},    {"cookie", session},  {"nonce", key},
       {"auth", key},          {"key", key},         {"otp", code},
       {"sess", session},      {"sid", session},     {"code", code}});
  constexpr std::size_t kShortest = 5;
  // rid, reqid, traceid: whatever it names.
  constexpr std::size_t kLongestId = 14;
  const std::string_view word = parts.part(i);
  if (word == "appid") {
    return key;
  }
  if (word.ends_with("id") && !word.ends_with("sid") && word.size() <= kLongestId &&
      word.size() > 2 && word != "valid" && word != "invalid") {
    return harmless;
  }
  if (word.size() < kShortest) {
    return none;
  }
  for (const Suffix& suffix : kSuffixes) {
    if (word.back() == suffix.word.back() && word.ends_with(suffix.word)) {
      return parts.known(i).exception ? none : suffix.family;
    }
  }
  return none;
}

// A long name may go on behind its stem: _shibsession_64656661756c74abcd, SESSd41d8cd98f…; other
// scripts have stems of their own.
bool mayHideStem(std::string_view name) {
  const auto* const first = std::ranges::find_if(name, isAlnum);
  return isOf(name.back(), kHexChar) || toLower(*first) == 's' ||
         std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// False if no stem can be at the end of the name. Digits behind it and other scripts are looked at.
bool mayHaveStem(std::string_view name) {
  if (name.front() == '.') {
    return true;
  }
  std::size_t end = name.size();
  while (end > 0 && !isOf(name[end - 1], kUpperChar | kLowerChar)) {
    if (static_cast<unsigned char>(name[end - 1]) >= 0x80) {
      return true;
    }
    --end;
  }
  if (end < 2 || end != name.size()) {
    return end > 0;
  }
  const char last = toLower(name[end - 1]);
  const char second = toLower(name[end - 2]);
  if (second < 'a' || second > 'z') {
    return true;
  }
  return endsLikeStem(second, last) || (name.size() > kLongSuffix * 2 && mayHideStem(name));
}

bool isHarmlessBefore(const NameParts& parts, std::size_t last) {
  return last > 0 && parts.known(last - 1).harmlessBefore;
}

}  // namespace

Family familyOf(std::string_view name) {
  if (name.empty() || !mayHaveStem(name)) {
    return none;
  }
  if (name.front() == '.' && name.starts_with(".AspNet")) {
    return session;
  }
  constexpr std::string_view kInResponseTo = "inresponseto";
  if (name.size() == kInResponseTo.size() && equalsWord(name, kInResponseTo)) {
    return harmless;
  }
  NameParts parts;
  if (!parts.split(name)) {
    const bool ascii =
        std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return ascii ? none : foreignFamilyOf(name);
  }
  std::size_t last = parts.count() - 1;
  // X-Hub-Signature-256, _shibsession_64656661756c74
  while (last > 0 &&
         (allOf(parts.part(last), kDigitChar) ||
          (parts.part(last).size() >= kLongSuffix && allOf(parts.part(last), kHexChar)))) {
    --last;
  }
  if (last > 0 && parts.part(last) == "info" && parts.part(last - 1) == "user") {
    return password;
  }
  if (last > 0 && parts.known(last - 1).fault) {
    return none;
  }
  Family family = stemOf(parts, last);
  const bool qualifies = last > 0 && parts.known(last).qualifies;
  if (qualifies) {
    std::size_t stem = last;
    while (stem > 0 && parts.known(stem).qualifies) {
      --stem;
    }
    const Family qualified = stemOf(parts, stem);
    const bool identifies = parts.part(last) == "id";
    // session_id and secret_id are secrets, key_id and token_id name one; user_id names a person.
    if (announcesSecret(qualified) &&
        (!identifies || qualified == session || qualified == secret ||
         (qualified == password && !parts.part(stem).starts_with("cred")))) {
      family = qualified;
      last = stem;
    }
  }
  if (family == none) {
    family = suffixOf(parts, last);
  }
  if ((family == key || family == plainCode || family == token) && isHarmlessBefore(parts, last)) {
    return harmless;
  }
  // api_key, x-functions-key, device_code, authCode; a bare `key` or `code` may be anything's.
  if (last > 0 && (family == plainCode || family == key)) {
    const Family compound = familyBehind(family, parts.part(last - 1));
    return family == plainCode ? code : compound;
  }
  // SESSd41d8cd98f…, .AspNetCore.Cookies
  if (family == none && parts.count() == 1 && parts.part(0).size() > 16 &&
      (parts.part(0).starts_with("sess"))) {
    return session;
  }
  return family;
}

Family familyBehind(Family family, std::string_view previous) {
  if (family != key && family != plainCode) {
    return family;
  }
  constexpr std::size_t kLongest = 24;
  if (previous.size() > kLongest) {
    return family;
  }
  std::array<char, kLongest> lower{};
  std::ranges::transform(previous, lower.begin(), toLower);
  const std::string_view word(lower.data(), previous.size());
  const KnownWord& known = knownWord(word);
  if (known.harmlessBefore) {
    return harmless;
  }
  if (known.secretBefore) {
    return family == key ? token : code;
  }
  return family;
}

RedactionKind kindOf(Family family) {
  switch (family) {
    case password:
      return RedactionKind::password;
    case secret:
      return RedactionKind::secret;
    case token:
      return RedactionKind::token;
    case key:
      return RedactionKind::apiKey;
    case session:
      return RedactionKind::session;
    case code:
    case plainCode:
      return RedactionKind::otp;
    case none:
    case value:
    case harmless:
      break;
  }
  return RedactionKind::opaque;
}

bool takesCredentials(std::string_view name) {
  NameParts parts;
  if (!parts.split(name)) {
    return false;
  }
  for (std::size_t i = 0; i < parts.count(); ++i) {
    if (parts.known(i).credentials) {
      return true;
    }
  }
  return false;
}

}  // namespace auth_errors::domain
