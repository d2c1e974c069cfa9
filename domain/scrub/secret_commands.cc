// Secrets on command lines, in shell syntax or as a printed list: values of options, and positional
// arguments.
#include <algorithm>
#include <array>
#include <ranges>

#include "domain/scrub/harmless.h"
#include "domain/scrub/secret_detectors.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

enum class ArgumentForm : std::uint8_t {
  value,       // -p x
  attached,    // -px only: a bare -p prompts for it
  pair,        // -u user:x
  percent,     // -U user%x
  cookiePair,  // -b name=x
};

struct Option {
  std::string_view program;
  char letter;
  std::string_view longName;
  ArgumentForm form;
};

using enum ArgumentForm;

// The options of a program are adjacent.
constexpr auto kOptions = std::to_array<Option>({
    {"curl", 'u', "--user", pair},
    {"curl", 'U', "--proxy-user", pair},
    {"curl", 'b', "--cookie", cookiePair},
    {"sshpass", 'p', "", value},
    {"login", 'p', "", value},
    {"cli", 'a', "", value},  // redis-cli
    {"openssl", 'k', "", value},
    {"psexec", 'p', "", value},
    {"ldapsearch", 'w', "", value},
    {"ldapmodify", 'w', "", value},
    {"ldapadd", 'w', "", value},
    {"ldapwhoami", 'w', "", value},
    {"ldappasswd", 's', "", value},
    {"ldappasswd", 'w', "", value},
    {"mysql", 'p', "", attached},
    {"mysqldump", 'p', "", attached},
    {"mysqladmin", 'p', "", attached},
    {"mariadb", 'p', "", attached},
    {"7z", 'p', "", attached},
    {"7za", 'p', "", attached},
    {"http", 'a', "--auth", pair},
    {"https", 'a', "--auth", pair},
    {"smbclient", 'U', "--user", percent},
    {"net", 'U', "", percent},
    {"wbinfo", 'a', "", percent},
    {"rpcclient", 'U', "", percent},
    {"PsExec", 'p', "", value},
    {"PsExec64", 'p', "", value},
    {"sqlcmd", 'P', "", value},
    {"osql", 'P', "", value},
    {"isql", 'P', "", value},
    {"bcp", 'P', "", value},
    {"tsql", 'P', "", value},
    {"keychain", 'p', "", value},  // security unlock-keychain
    {"keygen", 'P', "", value},
    {"keygen", 'N', "", value},
    {"pub", 'P', "--pw", value},  // mosquitto_pub
    {"sub", 'P', "--pw", value},
    {"mongo", 'p', "", value},
    {"mongosh", 'p', "", value},
    {"mongodump", 'p', "", value},
    {"cqlsh", 'p', "", value},
    {"ipmitool", 'P', "", value},
    {"snmpwalk", 'A', "", value},
    {"snmpwalk", 'X', "", value},
    {"snmpget", 'A', "", value},
    {"rdesktop", 'p', "", value},
    {"kinit", 'w', "", value},
    {"az", 'p', "", value},
    {"docker", 'p', "", value},
    {"podman", 'p', "", value},
    {"helm", 'p', "", value},
    {"influx", 'p', "", value},
    {"impacket", 'h', "-hashes", value},
});

constexpr WordSet kPrograms([] {
  std::array<std::string_view, kOptions.size()> programs;
  std::ranges::transform(kOptions, programs.begin(), &Option::program);
  return programs;
}());

struct Argument {
  std::size_t begin;
  std::size_t end;
  std::size_t next;  // start of the search for the next argument
};

// The next argument, in shell syntax or in a printed list: ['curl', '-u', 'x'].
std::optional<Argument> argumentFrom(std::string_view line, std::size_t at) {
  constexpr std::string_view kBetween = " \t,[](\\\n";
  while (at < line.size() && kBetween.contains(line[at]) && markerLengthAt(line, at) == 0) {
    ++at;
  }
  if (at >= line.size()) {
    return std::nullopt;
  }
  if (const std::size_t marker = markerLengthAt(line, at); marker != 0) {
    return Argument{.begin = at, .end = at + marker, .next = at + marker};
  }
  if (const std::size_t quote = quoteLengthAt(line, at); quote != 0) {
    const std::size_t end = quotedValueEnd(line, at, quote);
    return Argument{.begin = at + quote, .end = end, .next = end + quoteLengthAt(line, end)};
  }
  const std::size_t end = unquotedValueEnd(line, at, false);
  if (end == at) {
    return std::nullopt;
  }
  return Argument{.begin = at, .end = end, .next = end};
}

bool isArgumentSecret(ArgumentForm form, std::string_view text) {
  const auto hasSecretBehind = [&](char sign) {
    const std::size_t at = text.find(sign);
    return at != std::string_view::npos && at + 1 < text.size() && text[at + 1] != '$' &&
           !isMasked(text.substr(at + 1));
  };
  switch (form) {
    case value:
    case attached:
      return !text.starts_with('-') && !text.starts_with('$') && !isHarmlessValue(text);
    case pair:
      return hasSecretBehind(':');
    case percent:
      return hasSecretBehind('%');
    case cookiePair:
      return hasSecretBehind('=');
  }
  return true;
}

constexpr RedactionKind kindOf(ArgumentForm form) {
  switch (form) {
    case pair:
    case percent:
      return RedactionKind::userinfo;
    case cookiePair:
      return RedactionKind::cookie;
    case value:
    case attached:
      break;
  }
  return RedactionKind::password;
}

// The value of the option, either attached in `argument` or the next argument; nullopt if
// `argument` is another option.
std::optional<Argument> optionValue(const Option& option, std::string_view line,
                                    const Argument& argument) {
  const std::string_view text = line.substr(argument.begin, argument.end - argument.begin);
  const bool isLong = text.starts_with("--");
  if (isLong) {
    const bool named = !option.longName.empty() && text.starts_with(option.longName);
    if (named && text.size() == option.longName.size()) {
      return argumentFrom(line, argument.next);
    }
    if (named && text[option.longName.size()] == '=') {
      std::size_t begin = argument.begin + option.longName.size() + 1;
      return Argument{.begin = begin, .end = argument.end, .next = argument.next};
    }
    return std::nullopt;
  }
  const std::size_t letter = text.find(option.letter);
  if (letter == std::string_view::npos || letter == 0) {
    return std::nullopt;
  }
  if (letter == 1 && text.size() > 2) {
    return Argument{.begin = argument.begin + 2, .end = argument.end, .next = argument.next};
  }
  const bool lastOfCluster =
      letter + 1 == text.size() && runEnd(text, 1, kUpperChar | kLowerChar) == text.size();
  return lastOfCluster && option.form != attached ? argumentFrom(line, argument.next)
                                                  : std::nullopt;
}

// net use Z: \\\\server\\share x
bool isShare(std::string_view argument) {
  return argument.starts_with("\\\\") || (argument.size() == 2 && argument[1] == ':');
}

// The line, including the lines joined to it by a backslash.
std::string_view lineFrom(std::string_view text, std::size_t at, std::size_t limit) {
  const std::string_view near = text.substr(0, at + limit);
  std::size_t end = near.find('\n', at);
  while (end != std::string_view::npos && end > at && near[end - 1] == '\\') {
    end = near.find('\n', end + 1);
  }
  return near.substr(0, std::min(end, near.size()));
}

[[gnu::noinline]] std::optional<Match> argumentSecret(const Scan& scan, Spot word,
                                                      std::string_view program) {
  constexpr std::size_t kMaxLine = 512;
  constexpr int kMaxArguments = 32;
  const auto isProgram = [&](const Option& option) { return option.program == program; };
  const auto* const first = std::ranges::find_if(kOptions, isProgram);
  const auto* const last = std::find_if_not(first, kOptions.end(), isProgram);
  const std::string_view line = lineFrom(scan.text, word.end, kMaxLine);
  auto argument = argumentFrom(line, word.end + quoteLengthAt(line, word.end));
  for (int i = 0; argument && i < kMaxArguments; ++i) {
    if (argument->end > argument->begin + 1 && line[argument->begin] == '-') {
      for (const Option& option : std::ranges::subrange(first, last)) {
        const auto found = optionValue(option, line, *argument);
        if (found && found->end > found->begin && markerLengthAt(line, found->begin) == 0 &&
            isArgumentSecret(option.form, line.substr(found->begin, found->end - found->begin))) {
          // A value longer than the examined text continues.
          const bool whole = found->end < line.size();
          return Match{.begin = found->begin,
                       .end = whole ? found->end : unquotedValueEnd(scan.text, found->end, false),
                       .kind = kindOf(option.form)};
        }
      }
    }
    argument = argumentFrom(line, argument->next);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Match> detectCommandLine(const Scan& scan, Spot word) {
  const std::string_view program = scan.text.substr(word.begin, word.end - word.begin);
  return kPrograms.contains(program) ? argumentSecret(scan, word, program) : std::nullopt;
}

// sqlplus user/x@db, radtest user x host port secret: positional arguments that are secrets.
std::optional<Match> detectPositionalArgument(const Scan& scan, Spot word) {
  struct Position {
    std::string_view program;
    std::string_view command;  // the preceding argument; empty: none
    std::size_t number;        // position of the secret after it, from 1, not counting options
  };
  static constexpr auto kPositions = std::to_array<Position>({
      {"radtest", "", 2},
      {"radtest", "", 5},
      {"rabbitmqctl", "add_user", 2},
      {"rabbitmqctl", "change_password", 2},
      {"rabbitmqctl", "authenticate_user", 2},
      {"doveadm", "test", 2},
      {"ejabberdctl", "register", 3},
      {"ejabberdctl", "change_password", 3},
      {"htpasswd", "", 3},
      {"nmcli", "password", 1},
      {"net", "user", 2},
      {"net", "use", 1},
      {"wpa_passphrase", "", 2},
      {"smbpasswd", "", 2},
  });
  static constexpr WordSet kPlaced([] {
    std::array<std::string_view, kPositions.size()> programs;
    std::ranges::transform(kPositions, programs.begin(), &Position::program);
    return programs;
  }());
  static constexpr WordSet kLogins(std::to_array<std::string_view>(
      {"sqlplus", "expdp", "impdp", "sqlldr", "exp", "imp", "rman", "connect", "CONNECT", "conn"}));
  static constexpr WordSet kAsking(
      std::to_array<std::string_view>({"kinit", "sudo", "passwd", "chpasswd", "login", "su",
                                       "cryptsetup", "smbpasswd", "gpg", "openssl"}));
  constexpr std::size_t kMaxLine = 512;
  constexpr int kMaxArguments = 24;
  const std::string_view program = scan.text.substr(word.begin, word.end - word.begin);
  const bool login = kLogins.contains(program);
  const bool echo = program == "echo" || program == "printf";
  const bool known = login || echo || kPlaced.contains(program);
  const char previous = scan.before(word.begin);
  if (!known || isAlnum(previous) || previous == '.' || previous == '-' || previous == '_') {
    return std::nullopt;
  }
  const std::string_view line = lineFrom(scan.text, word.end, kMaxLine);
  const auto secret = [&](std::size_t begin, std::size_t end) -> std::optional<Match> {
    const std::string_view value = line.substr(begin, end - begin);
    return begin < end && markerLengthAt(line, begin) == 0 && !isHarmlessValue(value) &&
                   !isProseWord(value) && value.front() != '$'
               ? std::optional(Match{.begin = begin, .end = end, .kind = RedactionKind::password})
               : std::nullopt;
  };
  if (echo) {
    const std::size_t pipe = line.find(" | ", word.end);
    const auto argument = argumentFrom(line, word.end);
    if (pipe == std::string_view::npos || !argument || argument->end > pipe) {
      return std::nullopt;
    }
    const std::size_t target = runEnd(line, pipe + 3, kAlnumChar);
    const bool stdIn = line.substr(pipe).contains("--password-stdin");
    return stdIn || kAsking.contains(line.substr(pipe + 3, target - pipe - 3))
               ? secret(argument->begin, argument->end)
               : std::nullopt;
  }
  std::size_t number = 0;
  std::string_view command;
  auto argument = argumentFrom(line, word.end + quoteLengthAt(line, word.end));
  for (int i = 0; argument && i < kMaxArguments; ++i) {
    const std::string_view text = line.substr(argument->begin, argument->end - argument->begin);
    if (login && !text.starts_with('-')) {
      const std::size_t slash = text.find('/');
      if (slash != std::string_view::npos && slash > 0 && text.front() != '@' &&
          slash + 1 < text.size() && text[slash + 1] != '/') {
        const std::size_t at = std::min(text.find('@', slash), text.size());
        return secret(argument->begin + slash + 1, argument->begin + at);
      }
      return std::nullopt;
    }
    if (!login && !text.starts_with('-') && !text.starts_with('/') && !isShare(text)) {
      ++number;
      for (const Position& position : kPositions) {
        if (position.program == program && position.command == command &&
            position.number == number) {
          if (const auto found = secret(argument->begin, argument->end)) {
            return found;
          }
        }
        if (position.program == program && !position.command.empty() && position.command == text) {
          command = position.command;
          number = 0;
        }
      }
    }
    argument = argumentFrom(line, argument->next);
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
