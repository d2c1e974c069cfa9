// Decides whether the value after a label is a secret, from the label's policy and the separator.
// Pure functions: any thread; linear in the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "domain/scrub/secret_labels.h"
#include "domain/scrub/secret_separators.h"
#include "domain/scrub/secret_values.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// A one-time code in the usual format.
bool isCode(std::string_view text);

bool beginsLine(const Scan& scan, std::size_t at);

// `word` is the label's last word.
bool acceptsPair(const Scan& scan, Spot word, const Label& label, const Separator& separator,
                 const Value& value);

}  // namespace auth_errors::domain
