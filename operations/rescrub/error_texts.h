// What the current scrubber makes of the texts of a stored error, by the rules of intake. Pure; any
// thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "domain/errors/submission.h"

namespace auth_errors::rescrub {

// As the columns hold them, in the order of TextField.
using StoredTexts = std::array<std::optional<std::string_view>, domain::kTextFieldCount>;

struct ScrubbedError {
  domain::Texts texts;             // those that change
  domain::RedactionCounts counts;  // of what was found now
  bool changed = false;

  [[nodiscard]] bool changes(domain::TextField field) const {
    return texts.at(static_cast<std::size_t>(field)).has_value();
  }
};

// Identifiers that are stored because the settings say so are looked for in the other texts and
// stay themselves; the request id, by which repeats are found, stays too.
ScrubbedError rescrubbed(const StoredTexts& stored);

}  // namespace auth_errors::rescrub
