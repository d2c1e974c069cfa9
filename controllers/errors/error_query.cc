#include "controllers/errors/error_query.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <utility>

#include "controllers/http/page_query.h"
#include "controllers/http/query_string.h"
#include "domain/values/hex.h"
#include "domain/values/utf8.h"

namespace auth_errors::controllers {
namespace {

using domain::TextField;

// Messages have no index: within a month the index on time bounds the work.
constexpr std::chrono::days kMaxTextRange{31};
constexpr std::int64_t kLowestStatus = 100;
constexpr std::int64_t kHighestStatus = 599;

// Limit for a body, because each unknown member adds a line to the response.
constexpr unsigned kMaxMembers = 32;
constexpr std::size_t kMaxMemberCodePoints = 64;
constexpr std::string_view kBody = "body";

class QueryReader {
 public:
  QueryReader(std::vector<FieldError> problems, std::size_t maxLimit)
      : maxLimit_(maxLimit), problems_(std::move(problems)) {}

  void take(std::string_view name, std::string_view value) {
    if (const Parameter* parameter = find(name); parameter != nullptr) {
      (this->*parameter->take)(name, value);
    } else if (identifierField(name)) {
      problem(name, "unknown",
              "must not be part of a URL; send it to POST /api/auth-errors/search");
    } else {
      problem(name, "unknown", "is not a known parameter");
    }
  }

  void takeJson(std::string_view name, const Json::Value& value) {
    if (value.isNull()) {
      return;
    }
    if (const auto field = identifierField(name)) {
      takeIdentifier(*field, value);
      return;
    }
    const Parameter* parameter = find(name);
    if (parameter != nullptr && parameter->truth) {
      value.isBool() ? take(name, value.asBool() ? "true" : "false")
                     : problem(name, "wrong_type", "must be true or false");
      return;
    }
    const bool integer = parameter != nullptr && parameter->integer;
    if (integer && (value.type() == Json::intValue || value.type() == Json::uintValue)) {
      take(name, value.asString());
    } else if (integer || (parameter != nullptr && !value.isString())) {
      problem(name, "wrong_type", integer ? "must be an integer" : "must be a string");
    } else {
      take(name, value.isString() ? value.asString() : std::string());
    }
  }

  void requireIdentifier() {
    const auto given = [](const auto& identifier) { return identifier.has_value(); };
    const bool complained = std::ranges::any_of(problems_, [](const FieldError& known) {
      return identifierField(known.field).has_value();
    });
    if (!complained && std::ranges::none_of(query_.identifiers, given)) {
      problem(nameOf(TextField::userId), "required",
              "at least one of userId, sessionId and clientIp is required");
    }
  }

  void problem(std::string_view field, std::string_view code, std::string message) {
    problems_.push_back(
        {.field = std::string(field), .code = std::string(code), .message = std::move(message)});
  }

  ErrorQueryResult finish() {
    checkRange();
    if (!problems_.empty()) {
      return std::unexpected(std::move(problems_));
    }
    return std::move(query_);
  }

 private:
  struct Parameter {
    std::string_view name;
    void (QueryReader::*take)(std::string_view name, std::string_view value);
    bool integer = false;
    bool truth = false;
  };

  static const Parameter* find(std::string_view name) {
    using Q = QueryReader;
    using F = triage::ErrorFilter;
    static constexpr auto kParameters = std::to_array<Parameter>({
        {.name = "status", .take = &Q::takeStatus},
        {.name = "httpStatus", .take = &Q::takeHttpStatus, .integer = true},
        {.name = "exceptionClass", .take = &Q::takeText<&F::exceptionClass>},
        {.name = "serviceName", .take = &Q::takeText<&F::serviceName>},
        {.name = "environment", .take = &Q::takeText<&F::environment>},
        {.name = "stackHash", .take = &Q::takeStackHash},
        {.name = "clusterId", .take = &Q::takeClusterId, .integer = true},
        {.name = "from", .take = &Q::takeInstant<&F::from>},
        {.name = "to", .take = &Q::takeInstant<&F::to>},
        {.name = "q", .take = &Q::takeText<&F::messagePart>},
        {.name = "stuck", .take = &Q::takeStuck, .truth = true},
        {.name = kLimitParameter, .take = &Q::takeLimit, .integer = true},
        {.name = kCursorParameter, .take = &Q::takeCursor},
    });
    const auto* const found = std::ranges::find(kParameters, name, &Parameter::name);
    return found == kParameters.end() ? nullptr : found;
  }

  static std::string_view nameOf(TextField field) { return domain::ruleOf(field).name; }

  static std::optional<std::pair<domain::ActorKind, TextField>> identifierField(
      std::string_view name) {
    const auto* const found = std::ranges::find_if(
        domain::kActorFields, [&](const auto& actor) { return nameOf(actor.second) == name; });
    return found == domain::kActorFields.end() ? std::nullopt : std::optional(*found);
  }

  // Returns the value, or adds a problem.
  template <typename T>
  std::optional<T> valueOf(std::expected<T, FieldError> read) {
    if (!read) {
      problems_.push_back(std::move(read.error()));
      return std::nullopt;
    }
    return *std::move(read);
  }

  void takeStatus(std::string_view name, std::string_view value) {
    query_.filter.status = valueOf(readName(name, value, domain::kAuthErrorStatusNames));
  }

  void takeHttpStatus(std::string_view name, std::string_view value) {
    if (const auto number = valueOf(readInteger(name, value, kLowestStatus, kHighestStatus))) {
      query_.filter.httpStatus = static_cast<std::int32_t>(*number);
    }
  }

  template <auto Member>
  void takeText(std::string_view name, std::string_view value) {
    constexpr bool kFreeText = Member == &triage::ErrorFilter::messagePart;
    constexpr std::size_t kLimit = kFreeText ? kMaxTextCodePoints : domain::kMaxNameCodePoints;
    query_.filter.*Member = valueOf(readText(name, value, kLimit));
  }

  void takeStuck(std::string_view name, std::string_view value) {
    query_.filter.stuck = valueOf(readName(name, value, kTruthNames));
  }

  void takeStackHash(std::string_view name, std::string_view value) {
    if (domain::isHash(value)) {
      query_.filter.stackHash = std::string(value);
    } else {
      problem(name, "invalid", "must be 64 lowercase hexadecimal digits");
    }
  }

  void takeClusterId(std::string_view name, std::string_view value) {
    query_.filter.clusterId = valueOf(readId<domain::ClusterId>(name, value));
  }

  template <auto Member>
  void takeInstant(std::string_view name, std::string_view value) {
    query_.filter.*Member = valueOf(readInstant(name, value));
  }

  void takeLimit(std::string_view name, std::string_view value) {
    if (const auto number =
            valueOf(readInteger(name, value, 1, static_cast<std::int64_t>(maxLimit_)))) {
      query_.limit = static_cast<std::size_t>(*number);
    }
  }

  void takeCursor(std::string_view /*name*/, std::string_view value) {
    query_.before =
        std::optional<domain::ErrorId>(valueOf(readCursor(PagedList::authErrors, value)));
  }

  void takeIdentifier(const std::pair<domain::ActorKind, TextField>& actor,
                      const Json::Value& value) {
    if (!value.isString()) {
      problem(nameOf(actor.second), "wrong_type", "must be a string");
      return;
    }
    auto identifier = domain::normaliseIdentifier(actor.second, value.asString());
    if (!identifier) {
      problem(identifier.error().field, identifier.error().code, identifier.error().message);
    } else if (!*identifier) {
      problem(nameOf(actor.second), "invalid", "must not be empty");
    } else {
      query_.identifiers.at(static_cast<std::size_t>(actor.first)) = **std::move(identifier);
    }
  }

  void checkRange() {
    const auto& from = query_.filter.from;
    const auto& to = query_.filter.to;
    if (from && to && *from >= *to) {
      problem("to", "out_of_range", "must be later than from");
    }
    const bool rangeNamed = std::ranges::any_of(problems_, [](const FieldError& known) {
      return known.field == "from" || known.field == "to";
    });
    if (query_.filter.messagePart && !rangeNamed && (!from || !to || *to - *from > kMaxTextRange)) {
      problem("q", "range_required",
              std::format("requires from and to, at most {} days apart", kMaxTextRange.count()));
    }
  }

  std::size_t maxLimit_;
  std::vector<FieldError> problems_;
  ErrorQuery query_;
};

}  // namespace

ErrorQueryResult errorQueryFromAddress(std::string_view query, std::size_t maxLimit) {
  ParsedQuery parsed = parseQueryString(query);
  QueryReader reader(std::move(parsed.problems), maxLimit);
  for (const QueryField& field : parsed.fields) {
    reader.take(field.name, field.value);
  }
  return reader.finish();
}

ErrorQueryResult errorQueryFromBody(const Json::Value& body, std::size_t maxLimit) {
  QueryReader reader({}, maxLimit);
  if (body.size() > kMaxMembers) {
    reader.problem(kBody, "too_many", std::format("must have at most {} members", kMaxMembers));
    return reader.finish();
  }
  for (const std::string& name : body.getMemberNames()) {
    if (domain::countCodePoints(name) <= kMaxMemberCodePoints) {
      reader.takeJson(name, body[name]);
    } else {
      reader.problem(kBody, "malformed", "has a member whose name is too long");
    }
  }
  reader.requireIdentifier();
  return reader.finish();
}

}  // namespace auth_errors::controllers
