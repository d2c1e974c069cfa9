#include "domain/scrub/secret_pair_rules.h"

#include <algorithm>
#include <array>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"

namespace auth_errors::domain {
namespace {

constexpr std::size_t kLongValue = 128;

bool isShortSign(std::string_view value) {
  return value.size() <= 2 && std::ranges::none_of(value, isAlnum);
}

// Letters and digits mixed, without the dots and brackets of names and versions. Dates are not:
// they have few letters.
bool looksMadeUp(std::string_view text, std::size_t minLength, std::ptrdiff_t minLetters) {
  return text.size() >= minLength && text.find_first_of(".()/:") == std::string_view::npos &&
         std::ranges::any_of(text, isDigit) && std::ranges::count_if(text, isLetter) >= minLetters;
}

// ORA-01017:, AADSTS50126: a fault's number, with what it means behind it.
bool isFaultNumber(const Scan& scan, const Value& value) {
  // 80090308: LdapErr
  constexpr std::size_t kShortestNumber = 4;
  const std::size_t hex = runEnd(scan.text, value.begin, kHexChar, 9);
  if (hex - value.begin >= kShortestNumber && scan.at(hex) == ':' && scan.at(hex + 1) == ' ' &&
      hex >= value.end) {
    return true;
  }
  const std::size_t letters = runEnd(scan.text, value.begin, kUpperChar);
  const std::size_t numberAt = letters + (scan.at(letters) == '-' ? 1 : 0);
  const std::size_t end = runEnd(scan.text, numberAt, kDigitChar);
  return letters > value.begin && end > numberAt && end == value.end && scan.at(end) == ':';
}

// A table of two columns tells pairs, unless a line under it makes the row its heading.
bool isRowOfTwo(const Scan& scan, std::size_t labelAt, const Value& value) {
  constexpr std::size_t kMaxBorder = 24;
  constexpr std::string_view kBorder = " \t|";
  const auto isBorder = [&](char c) {
    return kBorder.contains(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t begin = labelAt;
  while (labelAt - begin < kMaxBorder && begin > scan.floor && isBorder(scan.before(begin))) {
    --begin;
  }
  if (begin != 0 && scan.before(begin) != '\n') {
    return false;
  }
  std::size_t end = value.end;
  while (end - value.end < kMaxBorder && isBorder(scan.at(end))) {
    ++end;
  }
  if (end < scan.text.size() && scan.text[end] != '\n') {
    return false;
  }
  ++end;
  while (isBorder(scan.at(end)) && end - value.end < 2 * kMaxBorder) {
    ++end;
  }
  return scan.at(end) != '-' && scan.at(end) != '=' && scan.at(end) != '+';
}

bool acceptsCell(const Scan& scan, std::size_t labelAt, const Value& value) {
  constexpr std::size_t kShortest = 4;
  const std::string_view text = scan.text.substr(value.begin, value.end - value.begin);
  return looksRandom(text, kShortest) ||
         (!isProseWord(text.substr(0, text.find(' '))) && isRowOfTwo(scan, labelAt, value));
}

bool isLongNumber(std::string_view text) {
  return text.size() >= 6 && text.size() <= 12 && allOf(text, kDigitChar);
}

bool acceptsChosen(Style style, const Value& value, std::string_view text) {
  switch (style) {
    case Style::assigned:
      return true;
    case Style::stated:
      return value.quoted || !isProseWord(text);
    case Style::argument:
      return value.quoted || (!isProseWord(text) && text.front() != '-');
    case Style::predicate:
      return value.quoted || looksRandom(text);
    case Style::adjacent:
      return !isProseWord(text.substr(0, text.find(' '))) && !isShortSign(text) &&
             text.front() != ' ';
    case Style::following:
      // BadPassword attempts=3: the next pair.
      return (looksMadeUp(text, 6, 1) || isLongNumber(text)) && !isProseWord(text) &&
             !text.contains('=');
    case Style::distant:
      return value.quoted ? !isProseWord(text.substr(0, text.find(' '))) && !isShortSign(text)
                          : looksMadeUp(text, 4, 1) || isLongNumber(text);
    case Style::cell:
      return true;
  }
  return true;
}

bool acceptsGenerated(Style style, const Value& value, std::string_view text) {
  switch (style) {
    case Style::assigned:
      return true;
    case Style::stated:
      return value.quoted ? !isShortSign(text) : looksRandom(text) && !isProseWord(text);
    case Style::argument:
      return value.quoted || (!isProseWord(text) && text.front() != '-');
    case Style::predicate:
    case Style::adjacent:
      return looksRandom(text);
    case Style::following:
      return looksMadeUp(text, 16, 4) && !text.contains('=');
    case Style::distant:
      return looksMadeUp(text, 8, 2);
    case Style::cell:
      return true;
  }
  return true;
}

// 123 456, 12 34 56
bool isInGroups(std::string_view text) {
  constexpr std::ptrdiff_t kDigits = 6;
  return text.contains(' ') && std::ranges::count_if(text, isDigit) == kDigits &&
         std::ranges::all_of(text, [](char c) { return isDigit(c) || c == ' '; });
}

bool acceptsDigits(Style style, const Value& value, std::string_view text) {
  constexpr std::size_t kShortestCode = 3;
  if (style == Style::following || style == Style::distant) {
    return isCode(text) || isInGroups(text);
  }
  if (text.size() < kShortestCode) {
    return false;
  }
  if (style == Style::assigned || value.quoted) {
    return !isProseWord(text);
  }
  // login Code: 400 is a status.
  constexpr std::size_t kStatus = 3;
  return std::ranges::any_of(text, isDigit) && (text.size() > kStatus || !allOf(text, kDigitChar));
}

bool acceptsQuery(const Label& label, std::string_view text) {
  // /error?code=500 is a status, no authorization code; ?key=name is no API key.
  constexpr std::size_t kLongestStatus = 5;
  constexpr std::size_t kShortestKey = 16;
  if (label.kind == RedactionKind::apiKey) {
    return looksRandom(text, kShortestKey);
  }
  return text.size() > kLongestStatus || !allOf(text, kDigitChar);
}

// refresh_token, X-Auth-Token, accessToken: such a name is no subject of a sentence, while a bare
// "token: …" may be a parser's.
bool isCompoundName(const Scan& scan, Spot word) {
  const std::size_t begin = labelBegin(scan, word);
  const std::string_view name = scan.text.substr(begin, word.end - begin);
  const bool camelCase = isOf(name.front(), kLowerChar) &&
                         std::ranges::any_of(name, [](char c) { return isOf(c, kUpperChar); }) &&
                         !name.contains('.');
  return camelCase || name.find_first_of("_-") != std::string_view::npos;
}

// PWD=/srv/app, GOOGLE_APPLICATION_CREDENTIALS=/etc/key.json
bool isPathVariable(const Scan& scan, Spot word, std::string_view value) {
  const std::string_view name = scan.text.substr(word.begin, word.end - word.begin);
  return value.starts_with('/') && (name == "PWD" || name == "OLDPWD" || name == "CREDENTIALS");
}

// "The password field must have at least 8 characters.", EnvironmentCredential authentication …
bool isSentence(std::string_view text) {
  constexpr std::ptrdiff_t kFewestBlanks = 3;
  const std::size_t quote = quoteLengthAt(text, 0);
  const std::string_view sentence = text.substr(quote);
  return (std::ranges::count(sentence, ' ') >= kFewestBlanks &&
          isProseWord(sentence.substr(0, sentence.find(' ')))) ||
         (quote == 0 && looksLikeIdentifier(text) && announcesSecret(familyOf(text)) &&
          isOf(text.front(), kUpperChar));
}

// Credentials=NetworkCredential("svc", "x"), [ValidationError([…])]: a call, whose arguments are
// looked at.
bool isCall(const Scan& scan, const Value& value) {
  const std::size_t name = runEnd(scan.text, value.begin, kAlnumChar);
  return name > value.begin && name < value.end + 1 && scan.at(name) == '(' &&
         isOf(scan.at(value.begin), kUpperChar) &&
         (quoteLengthAt(scan.text, name + 1) != 0 || scan.at(name + 1) == '[');
}

// o.a.ValidateCredentials:315], http://auth:3000/
bool isLineNumber(const Scan& scan, const Separator& separator, const Value& value) {
  constexpr std::size_t kLongest = 5;
  const std::size_t digits = runEnd(scan.text, value.begin, kDigitChar);
  return separator.style == Style::stated && !value.quoted && digits > value.begin &&
         digits - value.begin <= kLongest && scan.before(value.begin) == ':' &&
         (digits == value.end || (scan.at(digits) == '/' && value.end - value.begin <= kLongValue));
}

// validate-jwt: TokenSignatureInvalid
bool namesClass(std::string_view text) {
  return isOf(text.front(), kUpperChar) && looksLikeIdentifier(text);
}

// refresh_token: missing from request
bool beginsSentence(const Scan& scan, const Value& value, std::string_view text) {
  return scan.at(value.end) == ' ' && isAlnum(scan.at(value.end + 1)) && looksLikeWords(text);
}

// arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db
bool isResourceName(const Scan& scan, Spot word) {
  constexpr std::size_t kAccount = 12;
  if (word.begin < scan.floor + kAccount + 1 || scan.before(word.begin) != ':') {
    return false;
  }
  const std::size_t account = word.begin - 1 - kAccount;
  return allOf(scan.text.substr(account, kAccount), kDigitChar) && scan.before(account) == ':';
}

// password:  24 bytes, as kubectl describes a secret
bool isSize(const Scan& scan, const Value& value, std::string_view text) {
  return allOf(text, kDigitChar) && startsWithWord(scan.text, value.end, " bytes");
}

// [--password PASSWORD], as a program explains its options
bool isNameOfArgument(const Separator& separator, std::string_view text) {
  return separator.style == Style::argument && announcesSecret(familyOf(text)) &&
         std::ranges::all_of(text, [](char c) { return isOf(c, kUpperChar) || c == '_'; });
}

// "$PASSWORD" | docker login …: a pipe, unless another border ends the line.
bool isPiped(const Scan& scan, const Separator& separator, const Value& value) {
  constexpr auto kPiped = std::to_array<std::string_view>(
      {"docker ", "podman ", "helm ", "skopeo ", "crane ", "kubectl ", "base64 ", "xargs ", "tee ",
       "sudo ", "jq ", "gh ", "oc ", "buildah ", "openssl ", "vault ", "ssh ", "sha256sum"});
  constexpr std::size_t kLongestLine = 256;
  const std::string_view rest = scan.text.substr(value.begin, kLongestLine);
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const std::size_t last = line.find_last_not_of(" \t");
  return separator.style == Style::cell && last != std::string_view::npos && line[last] != '|' &&
         std::ranges::any_of(kPiped,
                             [&](std::string_view program) { return line.starts_with(program); });
}

// <your-api-key>\napi_secret: x: the next pair, and no element that is closed behind its value.
bool isNextPair(const Scan& scan, const Separator& separator, const Value& value,
                std::string_view text) {
  return separator.element && separator.valueAt < value.begin &&
         scan.text.substr(separator.valueAt, value.begin - separator.valueAt).contains('\n') &&
         text.substr(0, text.find('\n')).find_first_of(":=") != std::string_view::npos &&
         !scan.text.substr(runEnd(scan.text, value.end, kSpaceChar, kLongValue)).starts_with("</");
}

// []ssh.AuthMethod{…}: a type of Go
bool isSliceOfGo(const Value& value, std::string_view text) {
  const std::size_t open = text.find('{');
  return !value.quoted && text.starts_with("[]") && open != std::string_view::npos && open > 2 &&
         std::ranges::all_of(text.substr(2, open - 2),
                             [](char c) { return isAlnum(c) || c == '.' || c == '*'; });
}

// $(kubectl get …), ${{ github.token }}, os.environ["X"], load_key(path), ${X:?must be set},
// -OldPassword $old: what a program computes the value from.
bool isExpression(const Scan& scan, std::size_t labelAt, const Separator& separator,
                  const Value& value, std::string_view text) {
  if (value.quoted) {
    return false;
  }
  if (text.starts_with("$(") || text.starts_with("${{") ||
      (text.front() == '?' && scan.before(labelAt) == '{')) {
    return true;
  }
  if (separator.style == Style::argument && text.front() == '$' && text.size() > 1) {
    return allOf(text.substr(1), kUpperChar | kLowerChar);
  }
  const auto* const open = std::ranges::find_if_not(
      text, [](char c) { return isLetter(c) || c == '_' || c == '.' || c == '-'; });
  const std::string_view name = text.substr(0, static_cast<std::size_t>(open - text.begin()));
  return open != text.end() && (*open == '(' || *open == '[') && !name.empty() &&
         isLetter(name.front()) && name.find_first_of("._-") != std::string_view::npos &&
         looksLikeWords(name);
}

// [UsernamePasswordCredential(username=bob)], [{ displayName: 'ci' }], [ 'must contain …' ]: what
// has members or words of its own.
bool isListOfObjects(const Value& value, std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t name = runEnd(text, 0, kAlnumChar);
  const bool object = name > 0 && name < text.size() && text[name] == '(' &&
                      isOf(text.front(), kUpperChar) && text.contains('=');
  return value.quoted && (object || text.starts_with('{') || isSentence(text));
}

// /etc/nginx/tls/app.key
bool isFile(std::string_view text) {
  constexpr auto kRoots =
      std::to_array<std::string_view>({"/etc/", "/home/", "/usr/", "/var/", "/opt/", "/srv/",
                                       "/app/", "/tmp/", "/root/", "/run/", "/mnt/", "/data/"});
  return std::ranges::any_of(kRoots, [&](std::string_view root) { return text.starts_with(root); });
}

// password_hash: argon2id
bool isNameOfHash(const Value& value, std::string_view text) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"argon2id", "argon2", "bcrypt", "scrypt", "pbkdf2", "sha256", "sha512", "md5"});
  return !value.quoted &&
         std::ranges::any_of(kNames, [&](std::string_view name) { return equalsWord(text, name); });
}

// A plain word behind a label may be the value or go on with a sentence: what stands around it
// tells, and is weighed where the detectors leave it. A compound name with nothing behind its value
// is no sentence's: X-Api-Key: abcdef
bool isLeftToTheWeights(const Scan& scan, Spot word, const Label& label, Style style,
                        const Value& value, std::string_view text) {
  constexpr std::size_t kLongest = 24;
  const bool plain = label.policy == LabelPolicy::chosen ||
                     label.policy == LabelPolicy::generated ||
                     label.policy == LabelPolicy::rejected;
  const bool loose = style == Style::stated || style == Style::predicate ||
                     style == Style::adjacent || style == Style::following;
  const bool named =
      style == Style::stated && isCompoundName(scan, word) && !isBlank(scan.at(value.end));
  return plain && loose && !named && !value.quoted && text.size() <= kLongest &&
         allOf(text, kUpperChar | kLowerChar);
}

// Names, references, sentences, ids and documents, which stand where a secret may stand.
bool isSomethingElse(const Scan& scan, Spot word, const Label& label, const Separator& separator,
                     const Value& value, std::string_view text) {
  // What is longer is none of these, and must not be read again from the next label on.
  if (text.size() <= kLongValue &&
      (isResourceName(scan, word) || isSize(scan, value, text) || isPiped(scan, separator, value) ||
       isNextPair(scan, separator, value, text) || isNameOfArgument(separator, text) ||
       isSliceOfGo(value, text) ||
       isExpression(scan, labelBegin(scan, word), separator, value, text) ||
       isListOfObjects(value, text) || isFile(text) || isNameOfHash(value, text))) {
    return true;
  }
  // Elasticsearch names keys by their ids: api key [VuaCfGcBCdbkQm-e5aOx] has been invalidated
  if (label.kind == RedactionKind::apiKey && separator.style == Style::following &&
      scan.before(value.begin) == '[') {
    return true;
  }
  // /error?code=7000215
  if (label.policy == LabelPolicy::query && allOf(text, kDigitChar) &&
      scan.text.substr(0, labelBegin(scan, word)).ends_with("error?")) {
    return true;
  }
  // PublicKeyToken=31bf3856ad364e35: of an assembly
  if (label.kind == RedactionKind::token &&
      startsWithWord(scan.text, labelBegin(scan, word), "publickeytoken")) {
    return true;
  }
  // sid=VE6c1f9a20b7d84e1e8f1d0e4b5c2a9d13: a resource, by two letters
  constexpr std::size_t kResourceId = 34;
  if (label.kind == RedactionKind::session && text.size() == kResourceId &&
      allOf(text.substr(0, 2), kUpperChar) && allOf(text.substr(2), kHexChar)) {
    return true;
  }
  // SAML Response [_3f6c9d0b5a1e4c7f8b22]: its id.
  if (label.kind == RedactionKind::saml && isHarmlessShape(text)) {
    return true;
  }
  // EnvironmentCredential: Environment variables are not set
  if (label.name.starts_with("credential") && separator.style == Style::stated && !value.quoted &&
      looksLikeWords(text) && scan.at(value.end) == ' ' &&
      isOf(scan.at(value.end + 1), kLowerChar)) {
    return true;
  }
  // AUTH <password> called without any password
  if (separator.element && scan.before(value.begin) == ' ' && std::ranges::count(text, ' ') >= 2) {
    return true;
  }
  // password = var.db_password: a reference
  if (label.policy == LabelPolicy::chosen && !value.quoted && text.contains('.') &&
      announcesSecret(familyOf(text)) && std::ranges::none_of(text, isDigit) &&
      looksLikeWords(text)) {
    return true;
  }
  // Password, value: 5
  if (label.policy == LabelPolicy::chosen && !value.quoted && text.size() == 1 &&
      isDigit(text[0])) {
    return true;
  }
  const bool plain = label.policy == LabelPolicy::chosen || label.policy == LabelPolicy::generated;
  // X509_check_private_key:key values mismatch, "app-secret" : secret "app-secret" not found
  if (plain && separator.style == Style::stated && !value.quoted &&
      announcesSecret(familyOf(text)) && !looksChosen(text) && scan.at(value.end) == ' ' &&
      (isAlnum(scan.at(value.end + 1)) || quoteLengthAt(scan.text, value.end + 1) != 0)) {
    return true;
  }
  // Access Key: LimitExceeded: Cannot exceed quota
  if (plain && separator.style == Style::stated && !value.quoted && scan.at(value.end) == ':' &&
      scan.at(value.end + 1) == ' ' && !looksChosen(text)) {
    return true;
  }
  // session.name => PHPSESSID: the name of a label
  if (label.policy == LabelPolicy::generated && !value.quoted && announcesSecret(familyOf(text)) &&
      !looksChosen(text) && std::ranges::none_of(text, isDigit)) {
    return true;
  }
  // Windows' ids of accounts
  if (label.kind == RedactionKind::session && text.starts_with("S-1-")) {
    return true;
  }
  if (plain && (isSentence(text) || isCall(scan, value) || isLineNumber(scan, separator, value))) {
    return true;
  }
  // {"error":"invalid_grant"}: a document, whose members are looked at; ][@ of a usage text.
  constexpr std::size_t kShortSigns = 4;
  return text.starts_with("{\"") ||
         (text.size() <= kShortSigns && separator.element && std::ranges::none_of(text, isAlnum));
}

}  // namespace

bool isCode(std::string_view text) {
  return text.size() >= 4 && text.size() <= 8 && allOf(text, kDigitChar);
}

bool beginsLine(const Scan& scan, std::size_t at) { return at == 0 || scan.text[at - 1] == '\n'; }

bool acceptsPair(const Scan& scan, Spot word, const Label& label, const Separator& separator,
                 const Value& value) {
  constexpr std::size_t kShortestRandom = 8;
  constexpr std::size_t kShortestSignature = 16;
  const std::string_view text = scan.text.substr(value.begin, value.end - value.begin);
  if (text.empty() || isHarmlessValue(text) || markerLengthAt(scan.text, value.begin) != 0 ||
      isSomethingElse(scan, word, label, separator, value, text)) {
    return false;
  }
  // In JSON only numbers and literals go without quotes; 'password': must … is prose.
  const Style style = separator.labelQuoted && value.quoted ? Style::assigned : separator.style;
  if ((style == Style::distant || style == Style::stated) && !value.quoted &&
      isFaultNumber(scan, value)) {
    return false;
  }
  if (isLeftToTheWeights(scan, word, label, style, value, text)) {
    return false;
  }
  switch (label.policy) {
    case LabelPolicy::chosen:
      if (style == Style::cell) {
        return acceptsCell(scan, labelBegin(scan, word), value);
      }
      // A prompt and what was typed behind it.
      if (style == Style::distant && beginsLine(scan, labelBegin(scan, word)) &&
          !isProseWord(text) && scan.at(value.end) != ':') {
        return true;
      }
      return acceptsChosen(style, value, text) && !isPathVariable(scan, word, text) &&
             (label.kind == RedactionKind::password || style != Style::adjacent ||
              looksRandom(text));
    case LabelPolicy::generated:
      if (style == Style::cell) {
        return acceptsCell(scan, labelBegin(scan, word), value);
      }
      // com.firebase.auth Code=17009
      if (label.kind == RedactionKind::oauth && !acceptsQuery(label, text)) {
        return false;
      }
      return (text.size() > kLongValue && style != Style::following && style != Style::distant) ||
             acceptsGenerated(style, value, text) ||
             (style == Style::stated && isCompoundName(scan, word) && !isProseWord(text) &&
              !namesClass(text) && !beginsSentence(scan, value, text));
    case LabelPolicy::alwaysRandom:
      return style != Style::following && style != Style::distant && text.front() != '(' &&
             (!isHarmlessShape(text) || style == Style::assigned) &&
             (style != Style::cell || !text.contains(' ')) &&
             looksRandom(text, label.kind == RedactionKind::signature ? kShortestSignature
                                                                      : kShortestRandom);
    case LabelPolicy::digits:
      return text.size() > kLongValue || acceptsDigits(style, value, text);
    case LabelPolicy::query:
      return acceptsQuery(label, text);
    case LabelPolicy::rejected:
      return value.quoted || style == Style::assigned;
    case LabelPolicy::header:
    case LabelPolicy::cookie:
      return true;
  }
  return true;
}

}  // namespace auth_errors::domain
