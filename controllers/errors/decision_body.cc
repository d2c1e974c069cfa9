#include "controllers/errors/decision_body.h"

#include <algorithm>

#include "controllers/http/field_reader.h"
#include "controllers/http/request_body.h"
#include "domain/scrub/sanitiser.h"

namespace auth_errors::controllers {

std::expected<DecisionBody, Refusal> decodeDecision(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  const auto type = reader.text(kDecisionTypeField);
  DecisionBody decision;
  decision.note = reader.sanitisedText(kDecisionNoteField, domain::kMaxMessageCodePoints);
  auto problems = reader.takeProblems();
  if (const auto named = domain::fromText<domain::Decision>(type.value_or(""))) {
    decision.type = *named;
  } else if (!std::ranges::contains(problems, kDecisionTypeField, &domain::FieldProblem::field)) {
    problems.push_back({.field = kDecisionTypeField,
                        .code = type ? "invalid" : "required",
                        .message = "must be PROCESS, FAIL, RESOLVE, IGNORE or RETRY"});
  }
  problems.append_range(reader.unknownFieldProblems({kDecisionTypeField, kDecisionNoteField}));
  if (!problems.empty()) {
    return std::unexpected(invalidFields(problems));
  }
  return decision;
}

}  // namespace auth_errors::controllers
