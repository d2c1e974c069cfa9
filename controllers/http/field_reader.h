// Reads the fields of a JSON object, strictly by type, and collects problems. Used while decoding a
// single request.
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

// The note that operators may add to every action.
inline constexpr std::string_view kNoteField = "note";

class FieldReader {
 public:
  // `body` must be an object and outlive the reader.
  explicit FieldReader(const Json::Value& body) : body_(body) {}

  // nullopt for a field that is absent, null, or of another type, which is a problem.
  std::optional<std::string> text(std::string_view field);
  // The sanitised text; too long a text is a problem. Also nullopt if it is empty afterwards.
  std::optional<std::string> sanitisedText(std::string_view field, std::size_t maxCodePoints);
  std::optional<std::int64_t> integer(std::string_view field);
  std::optional<std::vector<std::string>> texts(std::string_view field);
  std::optional<bool> boolean(std::string_view field);
  // Null for a field that is absent, null, or not an object, which is a problem. Valid as long as
  // the body.
  const Json::Value* object(std::string_view field);

  // Number of members of the body that were not read.
  [[nodiscard]] std::size_t unknownFields() const { return body_.size() - present_; }

  // A problem for each of the first members of the body that are not known: a misspelt field would
  // otherwise be ignored silently. The problems refer to their fields by views of the body.
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
