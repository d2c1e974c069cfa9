// Values in sentences, by the labels a few words before and after them: "Invalid OTP entered:
// 492031", "das Kennwort lautet Blaubeere7", "'x' is not a valid password".
// Pure functions: any thread. A bounded number of neighbours is examined.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/line.h"

namespace auth_errors::domain {

// A word that joins a label and its value: is, was, lautet, est, …
bool isPredicate(std::string_view word);

// sha256:…, SHA256:…, @sha256:…
bool followsDigestName(const Line& line, std::size_t i);

// True if the word directly before the value makes it harmless: user, port, line, for.
bool isHarmlessPosition(const Line& line, std::size_t i);

std::optional<RedactionKind> inProse(const Line& line, std::size_t i, const Site& site,
                                     std::string_view value);

}  // namespace auth_errors::domain
