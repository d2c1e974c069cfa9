// What the body of a decision says, on one error or on a whole cluster. Pure; any thread.
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
  std::optional<std::string> note;  // fit to be stored
};

std::expected<DecisionBody, Refusal> decodeDecision(std::string_view text);

}  // namespace auth_errors::controllers
