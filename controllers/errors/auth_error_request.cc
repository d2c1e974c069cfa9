#include "controllers/errors/auth_error_request.h"

#include "controllers/http/field_reader.h"

namespace auth_errors::controllers {

DecodedSubmission decodeSubmission(const Json::Value& body) {
  FieldReader reader(body);
  DecodedSubmission decoded;
  for (const domain::TextRule& rule : domain::kTextRules) {
    decoded.submission.texts.at(static_cast<std::size_t>(rule.field)) = reader.text(rule.name);
  }
  decoded.submission.occurredAt = reader.text(domain::kOccurredAtField);
  decoded.submission.httpStatus = reader.integer(domain::kHttpStatusField);
  decoded.problems = reader.takeProblems();
  decoded.unknownFields = reader.unknownFields();
  return decoded;
}

}  // namespace auth_errors::controllers
