// Bounds of a value: a quoted text, a word with the tokens joined to it, a list of bytes.
// Pure functions: any thread. The text examined after a token is bounded, or is the value itself.
#pragma once

#include <cstddef>
#include <optional>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// The token that closes the quote at token `i`, with the same sign and escaping; kNoToken if there
// is none nearby.
std::size_t closingQuoteOf(const Line& line, std::size_t i);

// The value that begins with token `i`: a quoted text with a closing quote nearby, or a word with
// the tokens joined to it.
std::optional<Site> siteAt(const Line& line, std::size_t i);

// Extends an unquoted password to the end of an unquoted value, and an option's to the next blank;
// a token in a path starts after its slash.
void widen(const Line& line, std::size_t i, RedactionKind kind, Site& site);

// key=[222, 173, …], <<201, 14, …>>: bytes on a line that mentions a secret.
// REQUIRES: token `i` has opened the innermost bracket.
std::optional<Match> bytesOf(const Line& line, std::size_t i);

// 5D 88 0A F1 3C 27 9E 41, on a line that mentions a secret.
std::optional<Match> hexDumpAt(const Line& line, std::size_t i);

// Begin of the password in FreeRADIUS's "Login incorrect (…): [user/x] (from client …)".
std::optional<std::size_t> radiusPassword(const Line& line, std::size_t i);

}  // namespace auth_errors::domain
