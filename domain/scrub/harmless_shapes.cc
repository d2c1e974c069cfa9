#include "domain/scrub/harmless_shapes.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/scrub/parts.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/text.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

constexpr auto kExtensions = std::to_array<std::string_view>(
    {".js",         ".mjs",    ".cjs", ".ts",   ".tsx", ".jsx",  ".css",  ".map", ".php",  ".py",
     ".rb",         ".go",     ".rs",  ".java", ".kt",  ".cs",   ".cc",   ".cpp", ".c",    ".h",
     ".jar",        ".dll",    ".so",  ".json", ".xml", ".yml",  ".yaml", ".ini", ".conf", ".cfg",
     ".log",        ".sock",   ".erl", ".ex",   ".exs", ".html", ".png",  ".svg", ".lock", ".toml",
     ".properties", ".keytab", ".pem", ".crt",  ".p12", ".jks",  ".sql",  ".sh"});

bool hasExtension(std::string_view token) {
  return std::ranges::any_of(
      kExtensions, [&](std::string_view extension) { return token.ends_with(extension); });
}

// 3C-22-FB-10-9A-01
bool isHardwareAddress(std::string_view token) {
  constexpr std::size_t kLength = 17;
  if (token.size() != kLength) {
    return false;
  }
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i % 3 == 2 ? token[i] != '-' && token[i] != ':' : !isOf(token[i], kHexChar)) {
      return false;
    }
  }
  return true;
}

// _a75adf55-01d7-40cc-929f-dbd8372ebdfc, ONELOGIN_8e8dc5f69a98cc4c1ff3: SAML names its messages so.
constexpr std::size_t kLongestPrefix = 12;

bool isMessageId(std::string_view token) {
  constexpr std::size_t kShortest = 12;
  const std::size_t joint = token.find('_');
  if (joint > kLongestPrefix || token.size() < joint + kShortest) {
    return false;
  }
  const std::string_view id = token.substr(joint + 1);
  return allOf(token.substr(0, joint), kUpperChar | kLowerChar) &&
         std::ranges::all_of(id, [](char c) { return isOf(c, kHexChar) || c == '-'; }) &&
         std::ranges::any_of(id, isDigit);
}

// VA and 32 hexadecimal digits, as Twilio names its resources.
bool isResourceId(std::string_view token) {
  constexpr std::size_t kLength = 34;
  return token.size() == kLength && isOf(token[0], kUpperChar) && isOf(token[1], kUpperChar) &&
         allOf(token.substr(2), kHexChar) && token.substr(0, 2) != "SK";
}

// 1-67d3f22e-1a2b3c4d5e6f708192a3b4c5: the trace of a request in AWS
bool isTraceRoot(std::string_view token) {
  constexpr std::size_t kLength = 35;
  return token.size() == kLength && token.starts_with("1-") && token[10] == '-' &&
         std::ranges::all_of(token.substr(2), [](char c) { return isOf(c, kHexChar) || c == '-'; });
}

// i-0f4c1d2e3b4a59687, vol-…: a few letters, a hyphen and up to 17 digits.
bool isCloudId(std::string_view token) {
  constexpr std::size_t kLongestType = 8;
  constexpr std::size_t kFewestDigits = 8;
  constexpr std::size_t kMostDigits = 24;
  const std::size_t joint = token.find('-');
  if (joint == std::string_view::npos || joint == 0 || joint > kLongestType) {
    return false;
  }
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"i",      "id", "req",  "msg", "evt", "job", "vol", "ami", "eni",  "vpc",
       "subnet", "sg", "snap", "acl", "rtb", "igw", "nat", "tgw", "vpce", "lt"});
  const std::string_view digits = token.substr(joint + 1);
  return std::ranges::contains(kTypes, token.substr(0, joint)) && digits.size() >= kFewestDigits &&
         digits.size() <= kMostDigits && std::ranges::all_of(digits, [](char c) {
           return isOf(c, kHexChar) && !isOf(c, kUpperChar);
         });
}

// pi_3QGxAbLkdIwHu7ix0Z1y2X3w: an object of a payment provider, unless it is its client secret.
bool isObjectId(std::string_view token) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"pi", "cus", "ch", "evt", "req", "sub", "in", "acct", "pm", "prod", "price", "txn", "re"});
  constexpr std::size_t kShortest = 8;
  const std::size_t joint = token.find('_');
  return joint != std::string_view::npos && token.size() - joint > kShortest &&
         std::ranges::contains(kTypes, token.substr(0, joint)) &&
         std::ranges::all_of(token.substr(joint + 1), isAlnum);
}

constexpr Separators kJoints("-_./");

// Labels of lower-case letters, digits and hyphens between dots, the last one of letters.
bool isHostName(std::string_view token) {
  const std::size_t dot = token.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || token.size() - dot < 3 ||
      !allOf(token.substr(dot + 1), kLowerChar)) {
    return false;
  }
  return std::ranges::all_of(
      token, [](char c) { return isOf(c, kLowerChar | kDigitChar) || c == '-' || c == '.'; });
}

// What has digits and is known all the same.
bool isHarmlessNumbered(std::string_view token) {
  constexpr std::size_t kLongestAddress = 18;
  constexpr std::size_t kThumbprint = 42;  // SHA-1 of a certificate
  constexpr std::size_t kRustHash = 17;    // h6c1f2a90be47d358 behind a symbol
  if (startsWithWord(token, 0, "0x") &&
      (token.size() <= kLongestAddress || token.size() == kThumbprint)) {
    return true;
  }
  if (token.starts_with("_Z") || token.starts_with("_R") || token.starts_with("$s") ||
      token.starts_with("S-1-") || token.starts_with("sha256/") || token.starts_with("sha256-") ||
      token.starts_with("sha384-") || token.starts_with("sha512-") || token.contains("-0x") ||
      (token.size() == kRustHash && token.front() == 'h' && allOf(token.substr(1), kHexChar))) {
    return true;
  }
  // 128-bit, 6-digit
  const std::size_t number = runEnd(token, 0, kDigitChar);
  if (number > 0 && number < token.size() && token[number] == '-' &&
      allOf(token.substr(number + 1), kLowerChar)) {
    return true;
  }
  // TOTP0004A1B2: a token's number in a list of tokens
  constexpr std::size_t kSerial = 12;
  if (token.size() == kSerial && token.substr(1).starts_with("OTP") &&
      allOf(token.substr(4), kHexChar)) {
    return true;
  }
  // "Username:" and "Password:" in Base64, as SMTP asks for them.
  if (token == "VXNlcm5hbWU6" || token == "UGFzc3dvcmQ6") {
    return true;
  }
  return isAlgorithm(token) || isResourceId(token) || isTraceRoot(token) || isCloudId(token) ||
         isObjectId(token) || isHardwareAddress(token) || isMessageId(token);
}

}  // namespace

bool isAlgorithm(std::string_view token) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"ecdhe", "ecdh",  "dhe",    "gcm",   "cbc",  "ccm", "psk",   "with",  "sha",    "md",
       "rs",    "hs",    "es",     "ps",    "aes",  "rsa", "ecdsa", "ed",    "argon",  "pbkdf",
       "utf",   "base",  "oauth",  "saml",  "http", "tls", "tlsv",  "ssl",   "sslv",   "ipv",
       "x",     "pkcs",  "krb",    "scram", "hmac", "cts", "ntlm",  "ntlmv", "mschap", "mschapv",
       "dh",    "curve", "chacha", "poly",  "rc",   "des", "id"});
  bool algorithm = true;
  bool numbered = false;
  std::size_t parts = 0;
  eachPart(token, kJoints, [&](std::string_view part) {
    ++parts;
    std::size_t letters = 0;
    while (letters < part.size() && isLetter(part[letters])) {
      ++letters;
    }
    const bool digits = allOf(part.substr(letters), kDigitChar);
    const bool known = letters == 0 || std::ranges::any_of(kNames, [&](std::string_view name) {
                         return equalsWord(part.substr(0, letters), name);
                       });
    numbered = numbered || letters < part.size();
    algorithm = algorithm && digits && known;
  });
  return algorithm && numbered && parts > 0;
}

bool isHarmlessShape(std::string_view token) {
  std::size_t letters = 0;
  bool digits = false;
  bool dots = false;
  for (const char c : token.substr(0, kShapeFront)) {
    letters += isLetter(c) || static_cast<unsigned char>(c) >= 0x80 ? 1U : 0U;
    digits = digits || isDigit(c);
    dots = dots || c == '.';
  }
  // Dates, times, versions, sums: digits and signs with at most a letter or two.
  constexpr std::size_t kFewLetters = 2;
  if (letters <= kFewLetters) {
    return true;
  }
  if ((dots && (isHostName(token) || hasExtension(token))) || looksLikeIdentifier(token) ||
      token.ends_with("Exception") || token.ends_with("Error")) {
    return true;
  }
  return digits && isHarmlessNumbered(token);
}

}  // namespace auth_errors::domain
