// Reads the fields of a JSON object, strictly by type, and gathers what is wrong with them. Lives
// as long as one request's decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <json/value.h>

#include "domain/errors/submission.h"

namespace auth_errors::controllers {

// The remark that every action of an operator may carry.
inline constexpr std::string_view kNoteField = "note";

class FieldReader {
 public:
  // `body` must be an object, and outlive the reader.
  explicit FieldReader(const Json::Value& body) : body_(body) {}

  // nullopt for a field that is absent, null, or of another type, which is a problem.
  std::optional<std::string> text(std::string_view field);
  // As it may be stored; a longer one is a problem. Nothing too if nothing is left of it.
  std::optional<std::string> sanitisedText(std::string_view field, std::size_t maxCodePoints);
  std::optional<std::int64_t> integer(std::string_view field);
  std::optional<std::vector<std::string>> texts(std::string_view field);
  std::optional<bool> boolean(std::string_view field);
  // Null for a field that is absent, null, or no object, which is a problem. Lives as long as the
  // body.
  const Json::Value* object(std::string_view field);

  // Of the body's members those that no field was read from.
  [[nodiscard]] std::size_t unknownFields() const { return body_.size() - present_; }

  // A problem for each of the body's first members that are none of these: misspelt, what it says
  // would be lost without a word. They name their fields by views of the body.
  [[nodiscard]] std::vector<domain::FieldProblem> unknownFieldProblems(
      std::initializer_list<std::string_view> known) const;

  std::vector<domain::FieldProblem> takeProblems() { return std::move(problems_); }

 private:
  const Json::Value* find(std::string_view field);
  std::nullopt_t wrongType(std::string_view field, std::string message);

  const Json::Value& body_;
  std::size_t present_ = 0;
  std::vector<domain::FieldProblem> problems_;
};

}  // namespace auth_errors::controllers
