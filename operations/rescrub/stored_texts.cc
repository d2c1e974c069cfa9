#include "operations/rescrub/stored_texts.h"

#include <array>
#include <format>
#include <stdexcept>
#include <utility>

#include <drogon/utils/Utilities.h>
#include <json/value.h>

#include "domain/errors/submission.h"
#include "domain/scrub/sanitiser.h"
#include "domain/stack/stack_hash.h"
#include "platform/encoding/json_reader.h"
#include "platform/encoding/json_writer.h"
#include "triage/dead_letters/message_secrets.h"

namespace auth_errors::rescrub {
namespace {

using enum TextShape;

constexpr std::size_t kMessage = domain::kMaxMessageCodePoints;
constexpr std::size_t kName = domain::kMaxNameCodePoints;

constexpr auto kAttemptTexts = std::to_array<StoredText>({{"error", sanitised, kMessage}});
constexpr auto kLetterTexts = std::to_array<StoredText>({
    {"error", sanitised, kMessage},
    {"event_type", sanitised, kName},
    {"body", body, domain::kMaxStacktraceCodePoints},
    {"headers", headers, kMessage},
    {"attempts", attempts, kMessage},
    {"note", sanitised, kMessage},
});
constexpr auto kRuleDeltaTexts = std::to_array<StoredText>({{"failure", sanitised, kMessage}});
constexpr auto kRuleTexts = std::to_array<StoredText>({
    {"note", sanitised, kMessage},
    {"last_failure", sanitised, kMessage},
    {"match_exception_class", part},
    {"match_service_name", part},
    {"match_environment", part},
    {"match_message", part},
});
constexpr auto kJobTexts = std::to_array<StoredText>({
    {"note", sanitised, kMessage},
    {"error", sanitised, kMessage},
    {"match_exception_class", part},
    {"match_service_name", part},
    {"match_environment", part},
    {"match_message", part},
});
constexpr auto kDecisionTexts = std::to_array<StoredText>({{"note", sanitised, kMessage}});
constexpr auto kRouteTexts = std::to_array<StoredText>({{"fingerprint", fingerprint}});
constexpr auto kClusterTexts = std::to_array<StoredText>({
    {"title", sanitised, domain::kMaxTitleCodePoints},
    {"exception_class", sanitised, kName},
    {"state_note", sanitised, kMessage},
});
constexpr auto kTransitionTexts = std::to_array<StoredText>({{"note", sanitised, kMessage}});
constexpr auto kSplitTexts = std::to_array<StoredText>({
    {"match_exception_class", part},
    {"match_service_name", part},
    {"match_environment", part},
    {"match_message", part},
});

// Number 0 is the table of errors.
constexpr auto kTables = std::to_array<TextTable>({
    {1, "delivery_attempt", "outbox_id", "id", "bigint", kAttemptTexts},
    {2, "dead_letter", "id", "id", "bigint", kLetterTexts,
     "body_encoding = CASE WHEN given.body IS NULL THEN t.body_encoding ELSE 'text' END"},
    {3, "rule_delta", "id", "id", "bigint", kRuleDeltaTexts},
    {4, "rule", "id", "id", "bigint", kRuleTexts},
    {5, "job", "id", "id", "bigint", kJobTexts},
    {6, "decision", "id", "id", "bigint", kDecisionTexts},
    {7, "cluster_route", "cluster_id", "stack_hash", "text", kRouteTexts},
    {8, "cluster", "id", "id", "bigint", kClusterTexts},
    {9, "cluster_transition", "cluster_id", "id", "bigint", kTransitionTexts},
    {10, "cluster_split", "id", "id", "bigint", kSplitTexts},
});

std::string sanitisedText(std::string_view stored, std::size_t limit) {
  return domain::sanitise(stored, limit, {})
      .text.value_or(std::string(domain::markerOf(domain::RedactionKind::wholeText)));
}

void scrubParts(Json::Value& value) {
  if (value.isString()) {
    const std::string text = value.asString();
    if (const domain::ScrubResult scrubbed = domain::scrub(text, {}); scrubbed.counts.total() > 0) {
      value = scrubbed.text;
    }
  } else if (value.isArray()) {
    for (Json::Value& element : value) {
      scrubParts(element);
    }
  }
}

void scrubAttempts(Json::Value& list, std::size_t limit) {
  for (Json::Value& attempt : list) {
    if (attempt.isObject() && attempt["error"].isString()) {
      attempt["error"] = sanitisedText(attempt["error"].asString(), limit);
    }
  }
}

// Scrubbed together with its name, which may identify it as a secret, as in ingestion.
Json::Value scrubbedHeader(const std::string& name, const Json::Value& value, std::size_t limit) {
  const std::string plain = value.isString() ? value.asString() : encoding::toJson(value);
  const std::string lead = name + ": ";
  const domain::SanitisedText line = domain::sanitise(lead + plain, limit, {});
  if (line.counts.total() == 0) {
    return value;
  }
  const std::string& text = line.text.value_or("");
  return text.starts_with(lead) ? text.substr(lead.size()) : text;
}

Json::Value scrubbedHeaders(const Json::Value& stored, std::size_t limit) {
  Json::Value scrubbed(Json::objectValue);
  for (const std::string& name : stored.getMemberNames()) {
    const std::string key = domain::sanitise(name, kName, {}).text.value_or("");
    scrubbed[key] = scrubbedHeader(key, stored[name], limit);
  }
  return scrubbed;
}

std::optional<std::string> scrubbedJson(const StoredText& text, std::string_view stored) {
  const auto value = encoding::readJson(stored);
  if (!value) {
    // PostgreSQL accepts more than the strict reader; JSON that cannot be read cannot be scrubbed.
    throw std::runtime_error(std::format("{}: {}", text.column, value.error()));
  }
  Json::Value scrubbed = *value;
  switch (text.shape) {
    case attempts:
      scrubAttempts(scrubbed, text.limit);
      break;
    case headers:
      scrubbed = scrubbedHeaders(*value, text.limit);
      break;
    default:
      for (const char* const part : {"classes", "frames", "message"}) {
        if (scrubbed.isMember(part)) {
          scrubParts(scrubbed[part]);
        }
      }
  }
  return scrubbed == *value ? std::nullopt : std::optional(encoding::toJson(scrubbed));
}

constexpr std::string_view kTextBody = "text:";
constexpr std::string_view kBase64Body = "base64:";

std::optional<std::string> scrubbedBody(std::string_view stored, std::size_t limit) {
  if (stored.starts_with(kTextBody)) {
    const std::string_view body = stored.substr(kTextBody.size());
    std::string scrubbed = sanitisedText(body, limit);
    return scrubbed == body ? std::nullopt : std::optional(std::move(scrubbed));
  }
  const std::string bytes = drogon::utils::base64Decode(stored.substr(kBase64Body.size()));
  return triage::showsSecrets(bytes)
             ? std::optional(std::string(domain::markerOf(domain::RedactionKind::wholeText)))
             : std::nullopt;
}

}  // namespace

std::span<const TextTable> textTables() { return kTables; }

std::string storedSql(const StoredText& text) {
  switch (text.shape) {
    case sanitised:
    case part:
      return std::format("t.{}", text.column);
    case attempts:
    case headers:
    case fingerprint:
      return std::format("t.{}::text", text.column);
    case body:
      return std::format("t.{0}_encoding || ':' || t.{0}", text.column);
  }
  std::unreachable();
}

std::string typeOf(const StoredText& text) {
  const bool json = text.shape == attempts || text.shape == headers || text.shape == fingerprint;
  return json ? "jsonb" : "text";
}

std::string hasTextSql(const TextTable& table) {
  std::string columns;
  for (const StoredText& text : table.texts) {
    columns += std::format("{}t.{}", columns.empty() ? "" : ", ", text.column);
  }
  return std::format("num_nonnulls({}) > 0", columns);
}

std::optional<std::string> rescrubbed(const StoredText& text, std::string_view stored) {
  switch (text.shape) {
    case sanitised: {
      std::string scrubbed = sanitisedText(stored, text.limit);
      return scrubbed == stored ? std::nullopt : std::optional(std::move(scrubbed));
    }
    case part: {
      domain::ScrubResult scrubbed = domain::scrub(stored, {});
      return scrubbed.counts.total() == 0 ? std::nullopt : std::optional(std::move(scrubbed.text));
    }
    case attempts:
    case headers:
    case fingerprint:
      return scrubbedJson(text, stored);
    case body:
      return scrubbedBody(stored, text.limit);
  }
  std::unreachable();
}

}  // namespace auth_errors::rescrub
