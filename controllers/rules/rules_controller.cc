#include "controllers/rules/rules_controller.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/errors/match_json.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_query.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/scrub/sanitiser.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using rules::Rule;
using rules::RuleRefusal;
using rules::RuleSettings;

constexpr std::string_view kNameField = "name";
constexpr std::string_view kPositionField = "position";
constexpr std::string_view kEnabledField = "enabled";
constexpr std::string_view kActionField = "action";
constexpr std::string_view kAfterField = "afterSeconds";

Refusal invalidCluster(std::string message) {
  return {.reason = RejectReason::invalidFields,
          .details = {.errors = {{.field = std::string(kMatchClusterField),
                                  .code = "invalid",
                                  .message = std::move(message)}}}};
}

constexpr OutageAdvice kRuleAdvice{
    .outcomeUnknown = "Read the rules to see whether they are changed.",
    .tooSlow = "Too many errors had to be examined; add conditions."};

Refusal ruleRefusal(RuleRefusal refusal) {
  switch (refusal) {
    case RuleRefusal::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case RuleRefusal::nameTaken:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "A rule with this name already exists."}};
    case RuleRefusal::tooMany:
      return {.reason = RejectReason::tooManyRules,
              .details = {.detail = std::format(
                              "There can be at most {} rules; delete one that is no longer needed.",
                              rules::kMaxRules)}};
    case RuleRefusal::unknownCluster:
      return invalidCluster("is not the id of a cluster");
    case RuleRefusal::mergedCluster:
      return invalidCluster("was merged into another cluster; use the id of that one");
  }
  std::unreachable();
}

// A cursor is one number: the position of the page's last rule in the order of application.
constexpr std::int64_t kIdsOfPosition = std::int64_t{1} << 42;
static_assert(rules::kLastPosition < (std::int64_t{1} << 20));

std::int64_t placeNumber(const Rule& rule) {
  return rule.settings.position.value_or(0) * kIdsOfPosition + rule.id.value();
}
rules::RulePlace placeOf(std::int64_t number) {
  return {.position = static_cast<std::int32_t>(number / kIdsOfPosition),
          .id = domain::RuleId(number % kIdsOfPosition)};
}

// Returns a value within the range, or adds a problem.
std::optional<std::int64_t> within(std::optional<std::int64_t> value, std::string_view field,
                                   std::int64_t lowest, std::int64_t highest,
                                   std::vector<domain::FieldProblem>& problems) {
  if (value && (*value < lowest || *value > highest)) {
    problems.push_back(
        {.field = field,
         .code = "out_of_range",
         .message = std::format("must be an integer from {} to {}", lowest, highest)});
    return std::nullopt;
  }
  return value;
}

std::expected<RuleSettings, Refusal> decodeRule(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  RuleSettings rule;
  const auto name = reader.text(kNameField);
  const auto position = reader.integer(kPositionField);
  rule.enabled = reader.boolean(kEnabledField).value_or(true);
  const Json::Value* match = reader.object(kMatchField);
  const auto action = reader.text(kActionField);
  rule.note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints);
  const auto after = reader.integer(kAfterField);
  auto problems = reader.takeProblems();
  const auto isReported = [&problems](std::string_view field) {
    return std::ranges::contains(problems, field, &domain::FieldProblem::field);
  };
  if (name && rules::isRuleName(*name) && domain::holdsSecret(*name)) {
    problems.push_back(
        {.field = kNameField, .code = "secret", .message = std::string(domain::kLooksLikeSecret)});
  } else if (name && rules::isRuleName(*name)) {
    rule.name = *name;
  } else if (!isReported(kNameField)) {
    problems.push_back({.field = kNameField,
                        .code = name ? "invalid" : "required",
                        .message = "must be 1 to 64 letters, digits, '.', '_' and '-', starting "
                                   "with a letter or a digit"});
  }
  rule.position = within(position, kPositionField, 1, rules::kLastPosition, problems)
                      .transform([](std::int64_t at) { return static_cast<std::int32_t>(at); });
  rule.afterSeconds =
      within(after, kAfterField, rules::kMinAfterSeconds, rules::kMaxAfterSeconds, problems);
  if (const auto named = domain::fromText<domain::Decision>(action.value_or(""))) {
    rule.action = *named;
  } else if (!isReported(kActionField)) {
    problems.push_back({.field = kActionField,
                        .code = action ? "invalid" : "required",
                        .message = "must be PROCESS, FAIL, RESOLVE, IGNORE or RETRY"});
  }
  if (rule.action == domain::Decision::retry && !rule.afterSeconds && !isReported(kAfterField)) {
    problems.push_back({.field = kAfterField,
                        .code = "required",
                        .message = "is required for RETRY: retrying errors immediately after their "
                                   "analysis would never end"});
  }
  if (match == nullptr && !isReported(kMatchField)) {
    problems.push_back(
        {.field = kMatchField, .code = "required", .message = "must have at least one condition"});
  }
  // A misspelt age must not create a rule that acts immediately.
  problems.append_range(
      reader.unknownFieldProblems({kNameField, kPositionField, kEnabledField, kMatchField,
                                   kActionField, kNoteField, kAfterField}));
  ProblemDetails details = detailsOf(problems);
  if (match != nullptr) {
    rule.match = readMatch(*match, details.errors);
  }
  if (!details.errors.empty()) {
    return std::unexpected(
        Refusal{.reason = RejectReason::invalidFields, .details = std::move(details)});
  }
  return rule;
}

void appendRule(std::string& out, const Rule& rule) {
  const RuleSettings& settings = rule.settings;
  encoding::JsonObjectWriter object(out);
  object.write("id", rule.id);
  object.write(kNameField, settings.name);
  object.write(kPositionField, settings.position.value_or(0));
  object.write(kEnabledField, settings.enabled);
  object.write(kMatchField, matchToJson(settings.match));
  object.write(kActionField, settings.action.text());
  object.write(kNoteField, settings.note);
  object.write(kAfterField, settings.afterSeconds);
  object.write("hitCount", rule.hitCount);
  object.write("lastHitAt", rule.lastHitAt);
  object.write("failureCount", rule.failureCount);
  object.write("lastFailure", rule.lastFailure);
  object.write("lastFailureAt", rule.lastFailureAt);
  object.write("createdAt", rule.createdAt);
  object.write("createdBy", rule.createdBy);
  object.write("changedAt", rule.changedAt);
  object.write("changedBy", rule.changedBy);
  object.close();
}

std::string toJson(const Rule& rule) {
  std::string body;
  appendRule(body, rule);
  return body;
}

void appendSample(std::string& out, const rules::MatchedError& error) {
  encoding::JsonObjectWriter object(out);
  object.write("authErrorId", error.authErrorId);
  object.write("status", error.status);
  object.write("exceptionClass", error.exceptionClass);
  object.write("exceptionMessage", error.exceptionMessage);
  object.write("serviceName", error.serviceName);
  object.write("environment", error.environment);
  object.write("httpStatus", error.httpStatus);
  object.write("occurredAt", error.occurredAt);
  object.close();
}

std::string toJson(const rules::RulePreview& preview) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("matching", preview.matching);
  object.write("undecided", preview.undecided);
  object.write("wouldDecideNow", preview.wouldDecideNow);
  object.write("samples", encoding::jsonArray(preview.samples, appendSample));
  object.write("earlierRules", encoding::jsonArray(preview.earlierRules));
  object.close();
  return body;
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> RulesController::list(Call call) {
  auto query = pageQueryFromAddress(PagedList::rules, call.query());
  if (!query) {
    co_return call.reject(RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  auto page = co_await stores_.local().page(query->before.transform(placeOf),
                                            rowsToRead(query->limit), call.deadline());
  if (!page) {
    co_return call.reject(refusalFor(page.error(), kRuleAdvice));
  }
  co_return pageResponse(*std::move(page), query->limit, appendRule, [](const Rule& last) {
    return encodeCursor(PagedList::rules, placeNumber(last));
  });
}

drogon::Task<drogon::HttpResponsePtr> RulesController::create(Call call) {
  auto rule = decodeRule(call.body());
  if (!rule) {
    co_return call.reject(rule.error());
  }
  const auto made =
      co_await stores_.local().create(*std::move(rule), call.actor(), call.deadline());
  if (!made) {
    co_return call.reject(refusalFor(made.error(), kRuleAdvice, ruleRefusal));
  }
  const auto response = jsonResponse(toJson(*made), drogon::k201Created);
  response->addHeader("Location", std::format("/api/rules/{}", made->id));
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> RulesController::show(Call call) {
  const auto found = co_await stores_.local().find(call.id<domain::RuleId>(), call.deadline());
  if (!found) {
    co_return call.reject(refusalFor(found.error(), kRuleAdvice, ruleRefusal));
  }
  co_return jsonResponse(toJson(*found));
}

drogon::Task<drogon::HttpResponsePtr> RulesController::replace(Call call) {
  auto rule = decodeRule(call.body());
  if (!rule) {
    co_return call.reject(rule.error());
  }
  const auto changed = co_await stores_.local().replace(call.id<domain::RuleId>(), *std::move(rule),
                                                        call.actor(), call.deadline());
  if (!changed) {
    co_return call.reject(refusalFor(changed.error(), kRuleAdvice, ruleRefusal));
  }
  co_return jsonResponse(toJson(*changed));
}

drogon::Task<drogon::HttpResponsePtr> RulesController::remove(Call call) {
  const auto removed = co_await stores_.local().remove(call.id<domain::RuleId>(), call.deadline());
  if (!removed) {
    co_return call.reject(refusalFor(removed.error(), kRuleAdvice, ruleRefusal));
  }
  const auto response = drogon::HttpResponse::newHttpResponse();
  response->setStatusCode(drogon::k204NoContent);
  response->setContentTypeCode(drogon::CT_NONE);
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> RulesController::preview(Call call) {
  auto rule = decodeRule(call.body());
  if (!rule) {
    co_return call.reject(rule.error());
  }
  const auto seen = co_await stores_.local().preview(*std::move(rule), call.deadline());
  if (!seen) {
    co_return call.reject(refusalFor(seen.error(), kRuleAdvice, ruleRefusal));
  }
  co_return jsonResponse(toJson(*seen));
}

}  // namespace auth_errors::controllers
