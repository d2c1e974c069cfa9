// Where a value begins and ends: a quoted text, a word with what is joined to it, a list of bytes.
// Pure functions: any thread. What is looked at behind a token is bounded, or is the value itself.
#pragma once

#include <cstddef>
#include <optional>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// The token that closes the quote at token `i`, of the same sign and escaping; kNoToken if there is
// none nearby.
std::size_t closingQuoteOf(const Line& line, std::size_t i);

// The value that begins with token `i`: a quoted text that is closed nearby, or a word with what is
// joined to it.
std::optional<Site> siteAt(const Line& line, std::size_t i);

// A password that no quotes end goes on to where an unquoted value ends, an option's to the blank;
// a token in a path begins behind its slash.
void widen(const Line& line, std::size_t i, RedactionKind kind, Site& site);

// key=[222, 173, …], <<201, 14, …>>: bytes, where a secret is spoken of.
// REQUIRES: token `i` has opened the innermost bracket.
std::optional<Match> bytesOf(const Line& line, std::size_t i);

// 5D 88 0A F1 3C 27 9E 41, where a secret is spoken of.
std::optional<Match> hexDumpAt(const Line& line, std::size_t i);

// FreeRADIUS: Login incorrect (…): [user/x] (from client …). Where the password begins.
std::optional<std::size_t> radiusPassword(const Line& line, std::size_t i);

}  // namespace auth_errors::domain
