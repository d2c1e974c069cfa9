// Whether the value behind a label is a secret, by what the label promises and how the two are
// joined. Pure functions: any thread; linear in the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "domain/scrub/secret_labels.h"
#include "domain/scrub/secret_separators.h"
#include "domain/scrub/secret_values.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// One-time codes, as they are sent to people.
bool isCode(std::string_view text);

bool beginsLine(const Scan& scan, std::size_t at);

// `word` is the label's last word.
bool acceptsPair(const Scan& scan, Spot word, const Label& label, const Separator& separator,
                 const Value& value);

}  // namespace auth_errors::domain
