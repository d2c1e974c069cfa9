// Values that are secrets by their place among others: arguments of calls and elements of tuples,
// values of command-line options, and what protocols send behind their verbs.
// Pure functions: any thread. A bounded number of neighbours is looked at.
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

// AUTH x, PASS x, LOGIN user x: what SMTP, IMAP, FTP, POP3 and Redis send.
std::optional<RedactionKind> protocolValue(const Line& line, std::size_t i, const Site& site);

}  // namespace auth_errors::domain
