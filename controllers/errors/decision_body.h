// The body of a decision on one error or on a whole cluster. Pure; usable from any thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/http/problem.h"
#include "domain/errors/decision.h"

namespace auth_errors::controllers {

inline constexpr std::string_view kDecisionTypeField = "type";
inline constexpr std::string_view kDecisionNoteField = "note";

struct DecisionBody {
  domain::Decision type{};
  std::optional<std::string> note;  // sanitised
};

std::expected<DecisionBody, Refusal> decodeDecision(std::string_view text);

}  // namespace auth_errors::controllers
