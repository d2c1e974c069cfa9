#include "controllers/http/field_reader.h"

#include <algorithm>
#include <format>

#include "domain/scrub/sanitiser.h"
#include "domain/values/utf8.h"

namespace auth_errors::controllers {
namespace {

// A body may have a hundred thousand unknown fields, or one with a name as long as the body.
constexpr std::size_t kMaxUnknownFields = 10;
// The name is truncated further after scrubbing, which needs to see secrets whole.
constexpr std::size_t kMaxUnknownName = 1'024;

// "a, b and c"
std::string enumerated(std::initializer_list<std::string_view> names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string_view name : names) {
    text += name;
    --left;
    if (left > 0) {
      text += left == 1 ? " and " : ", ";
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> FieldReader::text(std::string_view field) {
  const Json::Value* value = find(field);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->isString()) {
    return wrongType(field, "must be a string");
  }
  return value->asString();
}

std::optional<std::string> FieldReader::sanitisedText(std::string_view field,
                                                      std::size_t maxCodePoints) {
  const auto value = text(field);
  if (!value) {
    return std::nullopt;
  }
  if (domain::hasMoreCodePoints(*value, maxCodePoints)) {
    problems_.push_back({.field = field,
                         .code = "too_long",
                         .message = std::format("must have at most {} characters", maxCodePoints)});
    return std::nullopt;
  }
  return domain::sanitise(*value, maxCodePoints, {}).text;
}

std::optional<std::int64_t> FieldReader::integer(std::string_view field) {
  const Json::Value* value = find(field);
  if (value == nullptr) {
    return std::nullopt;
  }
  // A number such as 401.0 is not an integer, although jsoncpp would convert it.
  const bool whole = value->type() == Json::intValue || value->type() == Json::uintValue;
  if (!whole || !value->isInt64()) {
    return wrongType(field, "must be an integer");
  }
  return value->asInt64();
}

std::optional<bool> FieldReader::boolean(std::string_view field) {
  const Json::Value* value = find(field);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->isBool()) {
    return wrongType(field, "must be true or false");
  }
  return value->asBool();
}

const Json::Value* FieldReader::object(std::string_view field) {
  const Json::Value* value = find(field);
  if (value != nullptr && !value->isObject()) {
    wrongType(field, "must be an object");
    return nullptr;
  }
  return value;
}

std::optional<std::vector<std::string>> FieldReader::texts(std::string_view field) {
  const Json::Value* value = find(field);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->isArray() || !std::ranges::all_of(*value, &Json::Value::isString)) {
    return wrongType(field, "must be an array of strings");
  }
  std::vector<std::string> texts;
  for (const Json::Value& text : *value) {
    texts.push_back(text.asString());
  }
  return texts;
}

std::vector<domain::FieldProblem> FieldReader::unknownFieldProblems(
    std::initializer_list<std::string_view> known) const {
  std::vector<domain::FieldProblem> problems;
  for (auto member = body_.begin(); member != body_.end(); ++member) {
    const char* end = nullptr;
    const char* const begin = member.memberName(&end);
    const std::string_view name(begin, end);
    if (std::ranges::contains(known, name)) {
      continue;
    }
    problems.push_back({.field = domain::firstCodePoints(name, kMaxUnknownName),
                        .code = "unknown_field",
                        .message = std::format("is unknown; known fields: {}", enumerated(known))});
    if (problems.size() == kMaxUnknownFields) {
      break;
    }
  }
  return problems;
}

const Json::Value* FieldReader::find(std::string_view field) {
  const Json::Value* value = body_.find(field.data(), field.data() + field.size());
  present_ += value == nullptr ? 0 : 1;
  return value == nullptr || value->isNull() ? nullptr : value;
}

std::nullopt_t FieldReader::wrongType(std::string_view field, std::string message) {
  problems_.push_back({.field = field, .code = "wrong_type", .message = std::move(message)});
  return std::nullopt;
}

}  // namespace auth_errors::controllers
