#include "controllers/auth_error_request.h"

#include <string>
#include <utility>

namespace auth_errors::controllers {
namespace {

class Decoder {
 public:
  explicit Decoder(const Json::Value& body) : body_(body) {}

  std::optional<std::string> text(std::string_view field) {
    const Json::Value* value = find(field);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (!value->isString()) {
      return wrongType(field, "must be a string");
    }
    return value->asString();
  }

  std::optional<std::int64_t> integer(std::string_view field) {
    const Json::Value* value = find(field);
    if (value == nullptr) {
      return std::nullopt;
    }
    // A number such as 401.0 is not written as an integer, though jsoncpp would convert it.
    const bool whole = value->type() == Json::intValue || value->type() == Json::uintValue;
    if (!whole || !value->isInt64()) {
      return wrongType(field, "must be an integer");
    }
    return value->asInt64();
  }

  // Of the body's members those that no field was read from.
  [[nodiscard]] std::size_t unknownFields() const { return body_.size() - present_; }

  std::vector<domain::FieldProblem> takeProblems() { return std::move(problems_); }

 private:
  const Json::Value* find(std::string_view field) {
    const Json::Value* value = body_.find(field.data(), field.data() + field.size());
    present_ += value == nullptr ? 0 : 1;
    return value == nullptr || value->isNull() ? nullptr : value;
  }

  std::nullopt_t wrongType(std::string_view field, std::string message) {
    problems_.push_back({.field = field, .code = "wrong_type", .message = std::move(message)});
    return std::nullopt;
  }

  const Json::Value& body_;
  std::size_t present_ = 0;
  std::vector<domain::FieldProblem> problems_;
};

}  // namespace

DecodedSubmission decodeSubmission(const Json::Value& body) {
  Decoder decoder(body);
  DecodedSubmission decoded;
  for (const domain::TextRule& rule : domain::kTextRules) {
    decoded.submission.texts.at(static_cast<std::size_t>(rule.field)) = decoder.text(rule.name);
  }
  decoded.submission.occurredAt = decoder.text(domain::kOccurredAtField);
  decoded.submission.httpStatus = decoder.integer(domain::kHttpStatusField);
  decoded.problems = decoder.takeProblems();
  decoded.unknownFields = decoder.unknownFields();
  return decoded;
}

}  // namespace auth_errors::controllers
