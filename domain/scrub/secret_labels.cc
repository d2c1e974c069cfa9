#include "domain/scrub/secret_labels.h"

#include <algorithm>
#include <array>

namespace auth_errors::domain {
namespace {

using enum LabelPolicy;
using Kind = RedactionKind;

// Longer names stand before those they end with.
constexpr auto kLabels = std::to_array<Label>({
    {"password", Kind::password, chosen, false},
    {"passwords", Kind::password, chosen, false},
    {"passwordhash", Kind::password, generated, false},
    {"passwordconfirmation", Kind::password, chosen, false},
    {"passwordagain", Kind::password, chosen, false},
    {"passwordconfirm", Kind::password, chosen, false},
    {"passwordrepeat", Kind::password, chosen, false},
    {"passwd", Kind::password, chosen, false},
    {"passwort", Kind::password, chosen, false},
    {"passphrase", Kind::password, chosen, false},
    {"passcode", Kind::password, chosen, false},
    {"userpass", Kind::password, chosen, false},
    {"pwd", Kind::password, chosen, false},
    {"pass", Kind::password, generated, true},
    {"credential", Kind::password, chosen, false},
    {"credentials", Kind::password, chosen, false},
    {"creds", Kind::password, chosen, true},
    {"cred", Kind::password, chosen, true},
    {"pw", Kind::password, chosen, true},
    {"psw", Kind::password, chosen, true},
    {"pswd", Kind::password, chosen, false},
    {"storepass", Kind::password, chosen, false},
    {"keypass", Kind::password, chosen, false},
    {"passin", Kind::password, chosen, true},
    {"passout", Kind::password, chosen, true},
    {"passworddigest", Kind::password, generated, false},
    {"kennwort", Kind::password, chosen, false},
    {"wachtwoord", Kind::password, chosen, false},
    {"senha", Kind::password, chosen, true},
    {"clave", Kind::password, chosen, true},
    {"parola", Kind::password, chosen, true},
    {"depasse", Kind::password, chosen, true},  // mot de passe; names are read over one blank only

    {"secret", Kind::secret, chosen, false},
    {"secrets", Kind::secret, generated, false},
    {"secretvalue", Kind::secret, generated, false},
    {"secretkeybase", Kind::secret, chosen, false},

    {"token", Kind::token, generated, false},
    {"tokenvalue", Kind::token, generated, false},
    {"idtokenhint", Kind::token, generated, false},
    {"jwt", Kind::token, generated, true},
    {"csrf", Kind::token, alwaysRandom, true},
    {"xsrf", Kind::token, alwaysRandom, true},
    {"auth", Kind::token, alwaysRandom, true},
    {"ticket", Kind::token, alwaysRandom, true},
    {"assertion", Kind::token, alwaysRandom, true},
    {"clientassertion", Kind::token, generated, true},
    {"jwtassertion", Kind::token, generated, true},
    {"rememberme", Kind::token, alwaysRandom, true},
    {"codeverifier", Kind::token, generated, true},
    {"authorizationcode", Kind::oauth, generated, true},
    {"authcode", Kind::oauth, generated, true},

    {"apikey", Kind::apiKey, chosen, false},
    {"accesskey", Kind::apiKey, chosen, false},
    {"accesskeyid", Kind::apiKey, chosen, false},
    {"secretkey", Kind::apiKey, chosen, false},
    {"privatekey", Kind::apiKey, chosen, false},
    {"accountkey", Kind::azure, chosen, false},
    {"sharedaccesskey", Kind::azure, chosen, false},
    {"subscriptionkey", Kind::apiKey, chosen, false},
    {"sharedkey", Kind::apiKey, chosen, false},
    {"signingkey", Kind::apiKey, chosen, false},
    {"encryptionkey", Kind::apiKey, chosen, false},
    {"masterkey", Kind::apiKey, chosen, false},
    {"consumerkey", Kind::apiKey, chosen, false},
    {"authkey", Kind::apiKey, chosen, false},
    {"appkey", Kind::apiKey, chosen, true},
    {"key", Kind::apiKey, query, true},

    {"otp", Kind::otp, digits, true},
    {"totp", Kind::otp, digits, true},
    {"otpcode", Kind::otp, digits, true},
    {"pin", Kind::otp, digits, true},
    {"pincode", Kind::otp, digits, true},
    {"mfacode", Kind::otp, digits, true},
    {"2facode", Kind::otp, digits, true},
    {"smscode", Kind::otp, digits, true},
    {"twofactorcode", Kind::otp, digits, true},
    {"onetimecode", Kind::otp, digits, true},
    {"verificationcode", Kind::otp, digits, true},
    {"confirmationcode", Kind::otp, digits, true},
    {"authenticationcode", Kind::otp, digits, true},
    {"authenticatorcode", Kind::otp, digits, true},
    {"activationcode", Kind::otp, digits, true},
    {"logincode", Kind::otp, digits, true},
    {"accesscode", Kind::otp, digits, true},
    {"resetcode", Kind::otp, digits, true},
    {"backupcode", Kind::otp, digits, true},
    {"recoverycode", Kind::otp, digits, true},
    {"backupcodes", Kind::otp, digits, true},
    {"recoverycodes", Kind::otp, digits, true},
    {"yourcode", Kind::otp, digits, true},
    {"entercode", Kind::otp, digits, true},
    {"mfatoken", Kind::otp, digits, true},
    {"otptoken", Kind::otp, digits, true},
    {"securitycode", Kind::otp, digits, true},
    {"cvv", Kind::otp, digits, true},
    {"cvc", Kind::otp, digits, true},

    {"sessionid", Kind::session, generated, false},
    {"sessid", Kind::session, generated, false},
    {"sessionkey", Kind::session, generated, false},
    {"session", Kind::session, alwaysRandom, true},
    {"sid", Kind::session, alwaysRandom, true},

    {"signature", Kind::signature, alwaysRandom, true},
    {"signaturevalue", Kind::signature, alwaysRandom, true},
    {"sig", Kind::signature, alwaysRandom, true},
    {"hmac", Kind::signature, alwaysRandom, true},
    {"hmacsha", Kind::signature, alwaysRandom, true},

    {"code", Kind::oauth, query, true},
    {"state", Kind::oauth, query, true},

    {"samlresponse", Kind::saml, generated, false},
    {"samlrequest", Kind::saml, generated, false},
    {"samlassertion", Kind::saml, generated, false},
    {"samlart", Kind::saml, generated, true},
    {"wresult", Kind::saml, generated, true},

    {"rejectedvalue", Kind::password, rejected, true},
    {"inputvalue", Kind::password, rejected, true},
    {"invalidvalue", Kind::password, rejected, true},
    {"input", Kind::password, rejected, true},

    {"authorization", Kind::authorization, header, false},
    {"cookie", Kind::cookie, cookie, false},
    {"cookies", Kind::cookie, cookie, false},
});

// Labels by their last two letters: most words of a trace are dismissed by one look.
constexpr std::size_t kLetters = 26;

struct LabelIndex {
  std::array<std::uint8_t, kLetters * kLetters + 1> first{};
  std::array<std::uint8_t, kLabels.size()> order{};
};

constexpr std::size_t endingOf(char secondLast, char last) {
  return static_cast<std::size_t>(last - 'a') * kLetters +
         static_cast<std::size_t>(secondLast - 'a');
}

constexpr LabelIndex makeLabelIndex() {
  const auto endingOfLabel = [](const Label& label) {
    return endingOf(label.name[label.name.size() - 2], label.name.back());
  };
  LabelIndex index;
  for (const Label& label : kLabels) {
    ++index.first[endingOfLabel(label) + 1];
  }
  for (std::size_t ending = 1; ending < index.first.size(); ++ending) {
    index.first[ending] = static_cast<std::uint8_t>(index.first[ending] + index.first[ending - 1]);
  }
  auto next = index.first;
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    index.order[next[endingOfLabel(kLabels[i])]++] = static_cast<std::uint8_t>(i);
  }
  return index;
}

constexpr LabelIndex kLabelIndex = makeLabelIndex();
static_assert(kLabels.size() < 256);

// Begin of `name` if the text before `end` spells it, else npos.
// REQUIRES: its last two letters stand there, with nothing between them.
std::size_t matchBack(const Scan& scan, std::size_t end, std::string_view name) {
  std::size_t at = end - 2;
  bool blankSeen = false;
  for (std::size_t i = name.size() - 2; i-- > 0;) {
    if (at > scan.floor) {
      const char joint = scan.text[at - 1];
      if (joinsName(joint) || (joint == ' ' && !blankSeen)) {
        blankSeen = blankSeen || joint == ' ';
        --at;
      }
    }
    if (at <= scan.floor || toLower(scan.text[at - 1]) != name[i]) {
      return std::string_view::npos;
    }
    --at;
  }
  return at;
}

bool startsWord(const Scan& scan, std::size_t begin, std::size_t runBegin) {
  const char previous = scan.before(begin);
  if (!isAlnum(previous)) {
    return true;
  }
  const bool camelHump = isOf(scan.at(begin), kUpperChar) && isOf(previous, kLowerChar);
  return camelHump || afterEscape(scan, runBegin) == begin;
}

}  // namespace

constexpr std::array<std::uint32_t, kEndingCount> kThirdLastLetters = [] {
  std::array<std::uint32_t, kEndingCount> letters{};
  for (const Label& label : kLabels) {
    const std::size_t size = label.name.size();
    letters[endingBits(label.name[size - 2], label.name[size - 1])] |=
        size > 2 ? 1U << letterBits(label.name[size - 3]) : 1U;
  }
  return letters;
}();

const Label* labelEndingAt(const Scan& scan, Spot word) {
  const std::size_t end = withoutSuffixDigits(scan.text, word);
  if (end < word.begin + 2) {
    return nullptr;
  }
  const char last = toLower(scan.text[end - 1]);
  const char secondLast = toLower(scan.text[end - 2]);
  if (!isOf(last, kLowerChar) || !isOf(secondLast, kLowerChar)) {
    return nullptr;
  }
  const std::size_t ending = endingOf(secondLast, last);
  const Label* best = nullptr;
  for (std::size_t i = kLabelIndex.first[ending]; i < kLabelIndex.first[ending + 1]; ++i) {
    const Label& label = kLabels[kLabelIndex.order[i]];
    if (best != nullptr && best->name.size() >= label.name.size()) {
      continue;
    }
    const std::size_t begin = matchBack(scan, end, label.name);
    if (begin != std::string_view::npos &&
        (!label.wholeWord || startsWord(scan, begin, word.begin))) {
      best = &label;
    }
  }
  return best;
}

std::size_t labelBegin(const Scan& scan, Spot word) {
  constexpr std::size_t kMaxLabel = 64;
  std::size_t begin = word.begin;
  while (word.begin - begin < kMaxLabel &&
         (isAlnum(scan.before(begin)) || joinsName(scan.before(begin)))) {
    --begin;
  }
  return begin;
}

const Label* labelNearBefore(const Scan& scan, std::size_t at) {
  constexpr std::size_t kNear = 128;
  const std::size_t near = at - std::min(at - scan.floor, kNear);
  // On its line, and on the one before if the line only goes on with it.
  const auto lineBegin = [&](std::size_t from) {
    const std::size_t newline = scan.text.substr(near, from - near).rfind('\n');
    return newline == std::string_view::npos ? near : near + newline + 1;
  };
  std::size_t last = lineBegin(at);
  if (last > near && (scan.text[last] == ' ' || scan.text[last] == '[')) {
    last = lineBegin(last - 1);
  }
  while (at > last) {
    std::size_t begin = at;
    while (begin > last && isAlnum(scan.text[begin - 1])) {
      --begin;
    }
    const Label* label = begin < at ? labelEndingAt(scan, {.begin = begin, .end = at}) : nullptr;
    if (label != nullptr && (label->policy == chosen || label->policy == digits)) {
      return label;
    }
    at = begin < at ? begin : at - 1;
  }
  return nullptr;
}

}  // namespace auth_errors::domain
