// Values that are secrets by their position: arguments of calls and elements of tuples, values of
// command-line options, and arguments of protocol commands.
// Pure functions: any thread. A bounded number of neighbours is examined.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"

namespace auth_errors::domain {

// -p, --password, /pass
bool isOption(std::string_view word);

// The second of two elements, the first of which is a label.
bool isPair(const Line& line, std::size_t i, const Site& site);

// -setcookie x, --keyPassphrase x, /pass x
std::optional<RedactionKind> optionValue(const Line& line, std::size_t i, std::string_view value);

// ('password', 'x'), {password,"x"}, HTTPBasicAuth('svc', 'x'), Credentials(bob,x).
std::optional<RedactionKind> positional(const Line& line, std::size_t i, const Site& site,
                                        std::string_view value);

// AUTH x, PASS x, LOGIN user x: commands of SMTP, IMAP, FTP, POP3 and Redis.
std::optional<RedactionKind> protocolValue(const Line& line, std::size_t i, const Site& site);

}  // namespace auth_errors::domain
