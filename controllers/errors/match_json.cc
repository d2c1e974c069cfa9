#include "controllers/errors/match_json.h"

#include <cstdint>
#include <format>
#include <limits>
#include <optional>
#include <utility>

#include "controllers/http/field_reader.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"

namespace auth_errors::controllers {
namespace {

constexpr std::string_view kClusterId = "clusterId";
constexpr std::string_view kExceptionClass = "exceptionClass";
constexpr std::string_view kHttpStatus = "httpStatus";
constexpr std::string_view kServiceName = "serviceName";
constexpr std::string_view kEnvironment = "environment";
constexpr std::string_view kMessage = "message";

constexpr std::int64_t kLowestHttpStatus = 100;
constexpr std::int64_t kHighestHttpStatus = 599;

class MatchReader {
 public:
  MatchReader(const Json::Value& object, std::vector<FieldError>& problems)
      : object_(object), reader_(object), problems_(problems) {}

  std::optional<std::string> text(std::string_view field, std::size_t maxCodePoints) {
    const std::size_t before = problems_.size();
    auto value = reader_.sanitisedText(field, maxCodePoints);
    takeProblems();
    const Json::Value* given = object_.find(field.data(), field.data() + field.size());
    if (!value && given != nullptr && !given->isNull() && problems_.size() == before) {
      problem(field, "invalid", "must not be empty");
    }
    return value;
  }
  std::optional<std::int64_t> integer(std::string_view field, std::int64_t lowest,
                                      std::int64_t highest) {
    const auto value = reader_.integer(field);
    takeProblems();
    if (value && (*value < lowest || *value > highest)) {
      problem(field, "out_of_range",
              std::format("must be an integer from {} to {}", lowest, highest));
      return std::nullopt;
    }
    return value;
  }
  void finish(const triage::ErrorMatch& match) {
    // A misspelt condition would have no effect.
    for (const domain::FieldProblem& unknown : reader_.unknownFieldProblems(
             {kClusterId, kExceptionClass, kHttpStatus, kServiceName, kEnvironment, kMessage})) {
      problem(unknown.field, unknown.code, unknown.message);
    }
    if (match.empty() && !failed_) {
      problems_.push_back({.field = std::string(kMatchField),
                           .code = "required",
                           .message = "must have at least one condition"});
    }
  }

 private:
  void takeProblems() {
    for (const domain::FieldProblem& found : reader_.takeProblems()) {
      problem(found.field, found.code, found.message);
    }
  }
  void problem(std::string_view field, std::string_view code, std::string message) {
    failed_ = true;
    problems_.push_back({.field = std::format("{}.{}", kMatchField, field),
                         .code = std::string(code),
                         .message = std::move(message)});
  }

  const Json::Value& object_;
  FieldReader reader_;
  std::vector<FieldError>& problems_;
  bool failed_ = false;
};

}  // namespace

triage::ErrorMatch readMatch(const Json::Value& object, std::vector<FieldError>& problems) {
  MatchReader reader(object, problems);
  triage::ErrorMatch match;
  match.clusterId = std::optional<domain::ClusterId>(
      reader.integer(kClusterId, 1, std::numeric_limits<std::int64_t>::max()));
  match.exceptionClass = reader.text(kExceptionClass, domain::kMaxNameCodePoints);
  match.httpStatus =
      reader.integer(kHttpStatus, kLowestHttpStatus, kHighestHttpStatus)
          .transform([](std::int64_t status) { return static_cast<std::int32_t>(status); });
  match.serviceName = reader.text(kServiceName, domain::kMaxNameCodePoints);
  match.environment = reader.text(kEnvironment, domain::kMaxNameCodePoints);
  match.message = reader.text(kMessage, domain::kMaxMessageCodePoints);
  reader.finish(match);
  return match;
}

encoding::JsonText matchToJson(const triage::ErrorMatch& match) {
  return encoding::jsonObject([&match](encoding::JsonObjectWriter& object) {
    object.write(kClusterId, match.clusterId);
    object.write(kExceptionClass, match.exceptionClass);
    object.write(kHttpStatus, match.httpStatus);
    object.write(kServiceName, match.serviceName);
    object.write(kEnvironment, match.environment);
    object.write(kMessage, match.message);
  });
}

}  // namespace auth_errors::controllers
