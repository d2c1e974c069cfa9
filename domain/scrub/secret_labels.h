// The names under which secrets travel: `password`, `X-Api-Key`, `client_secret`, …
// Immutable tables and pure functions: any thread. Names match whatever their case and separators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {

// How much a value must look like a secret before its label alone condemns it.
enum class LabelPolicy : std::uint8_t {
  chosen,        // a person chose it: any word may be it, unless prose says otherwise
  generated,     // a program made it: any value behind '=', but in prose only one with digits
  alwaysRandom,  // the name is also used for harmless things: digits are required everywhere
  digits,        // one-time codes and PINs
  query,         // only inside a URL's query
  rejected,      // a validator's: the value of a secret field that was named before
  header,        // Authorization: a scheme and its credentials
  cookie,        // Cookie: a list of pairs
};

struct Label {
  std::string_view name;  // lower case, without separators
  RedactionKind kind;
  LabelPolicy policy;
  bool wholeWord;  // `pin` must not match in `spin`, while `password` does in `dbpassword`
};

// The label that the run of letters and digits ends with, reading back over '_', '-', '.' and one
// blank. nullptr if it is none.
const Label* labelEndingAt(const Scan& scan, Spot word);

// Where the label's own text begins, for instance at the 'd' of `db.password`.
std::size_t labelBegin(const Scan& scan, Spot word);

// The label of a chosen secret or a code shortly before `at`: validators and loggers name the field
// first and quote its value behind a message. nullptr if there is none.
const Label* labelNearBefore(const Scan& scan, std::size_t at);

}  // namespace auth_errors::domain
