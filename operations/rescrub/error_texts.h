// Applies the current scrubber to the texts of a stored error, by the rules of ingestion. Pure;
// usable from any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "domain/errors/submission.h"

namespace auth_errors::rescrub {

// Values of the columns, in the order of TextField.
using StoredTexts = std::array<std::optional<std::string_view>, domain::kTextFieldCount>;

struct ScrubbedError {
  domain::Texts texts;             // only those that change
  domain::RedactionCounts counts;  // found by this scrub
  bool changed = false;

  [[nodiscard]] bool changes(domain::TextField field) const {
    return texts.at(static_cast<std::size_t>(field)).has_value();
  }
};

// Identifiers stored in plain text are searched for in the other texts and are not changed
// themselves; neither is the request id, which detects repeats.
ScrubbedError rescrubbed(const StoredTexts& stored);

}  // namespace auth_errors::rescrub
