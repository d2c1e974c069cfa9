#include "outbox/auth_error_store.h"

#include <algorithm>
#include <cstring>
#include <format>
#include <utility>

#include "domain/errors/auth_error_columns.h"
#include "domain/events/event_descriptor.h"
#include "domain/scrub/scrubber.h"
#include "platform/security/digest.h"
#include "triage/errors/redactions.h"

namespace auth_errors::outbox {
namespace {

using domain::kPseudonymColumns;
using domain::kTextColumns;
using domain::PseudonymColumn;
using domain::TextColumn;

// The payload is built here because only the database knows the new id. What belongs to the event
// but not to the error comes in arrays of its own, by request id.
std::string insertSql() {
  std::string columns;
  std::string arrays;
  int parameter = 0;
  const auto add = [&](std::string_view column, std::string_view type) {
    columns += std::format("{}{}", columns.empty() ? "" : ", ", column);
    arrays += std::format("{}${}::{}[]", arrays.empty() ? "" : ", ", ++parameter, type);
  };
  for (const TextColumn& column : kTextColumns) {
    add(column.name, "text");
  }
  for (const PseudonymColumn& column : kPseudonymColumns) {
    add(column.name, "text");
  }
  add("occurred_at", "timestamptz");
  add("http_status", "int");
  add("redactions", "jsonb");
  add("content_digest", "bytea");
  const std::string traces =
      std::format("unnest(${}::text[], ${}::text[])", parameter + 1, parameter + 2);
  const int receivedBy = parameter + 3;
  const int digestVersion = parameter + 4;
  const int scrubVersion = parameter + 5;
  return std::format(
      R"(WITH recorded AS (
  INSERT INTO auth_error ({}, status, received_at, status_changed_at, retry_count,
                          received_by, content_digest_version, scrub_version)
  SELECT *, '{}', now(), now(), 0, ${}::text, ${}::text, ${}::text FROM unnest({})
  ON CONFLICT (dedup_key) DO NOTHING
  RETURNING id, dedup_key, occurred_at
), enqueued AS (
  INSERT INTO outbox_message (event_id, aggregate_type, aggregate_id, event_type, idempotency_key,
                              payload, traceparent, status, retry_count, created_at)
  SELECT gen_random_uuid(), '{}', id, '{}', '{}' || id,
         jsonb_build_object('{}', id, '{}', dedup_key, '{}', occurred_at),
         traceparent, 'PENDING', 0, now()
  FROM recorded LEFT JOIN {} AS traced (dedup_key, traceparent) USING (dedup_key)
)
SELECT dedup_key, id FROM recorded)",
      columns, domain::toText(domain::AuthErrorStatus::fresh), receivedBy, digestVersion,
      scrubVersion, arrays, domain::kRecorded.aggregateType, domain::kRecorded.eventType,
      domain::kRecorded.keyPrefix, domain::payload_key::kAuthErrorId,
      domain::payload_key::kRequestId, domain::payload_key::kOccurredAt, traces);
}

const database::Statement kInsertErrors{.name = "insert_errors", .sql = insertSql()};

const database::Statement kFindByRequestId{
    .name = "find_errors_by_request_id",
    .sql =
        "SELECT dedup_key, id, status, service_name, "
        "CASE WHEN content_digest_version = $2::text THEN content_digest END "
        "FROM auth_error WHERE dedup_key = ANY($1::text[])"};

std::optional<ContentDigest> digestFrom(const std::optional<std::vector<std::byte>>& bytes) {
  ContentDigest digest{};
  if (!bytes || bytes->size() != digest.size()) {
    return std::nullopt;
  }
  std::ranges::copy(*bytes, digest.begin());
  return digest;
}

}  // namespace

ContentDigest contentDigest(const domain::AcceptedError& error) {
  // Each value behind its length, so that no two errors run together into one text.
  std::string content =
      std::format("{}|{}|", error.occurredAt.time_since_epoch().count(), error.httpStatus);
  const auto append = [&content](const std::optional<std::string>& text) {
    content += text ? std::format("{}:{}", text->size(), *text) : "-";
  };
  std::ranges::for_each(error.texts, append);
  std::ranges::for_each(error.pseudonyms, append);
  const security::Digest whole = security::sha256(content);
  ContentDigest digest{};
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

std::string digestVersion(const DigestBasis& basis) {
  // The digest's own form.
  constexpr int kForm = 1;
  constexpr std::size_t kSettingsBytes = 6;
  const std::string settings = std::format(
      "identifiers {}|key {}", basis.keepsIdentifiers ? "kept" : "dropped",
      basis.actorKey == nullptr ? "none"
                                : std::format("{}:{}", basis.actorKey->version,
                                              security::fingerprintOf(*basis.actorKey)));
  const security::Digest digest = security::sha256(settings);
  return std::format("{}.{}.{}", kForm, domain::scrubberVersion(),
                     security::toHex(std::span(digest).first<kSettingsBytes>()));
}

drogon::Task<std::vector<StoredRow>> insertErrors(database::Client& client,
                                                  std::vector<NewError> errors,
                                                  std::string receivedBy, std::string digestVersion,
                                                  database::Deadline deadline) {
  const auto column = [&errors](auto&& value) {
    std::vector<std::remove_cvref_t<decltype(value(errors.front()))>> values;
    values.reserve(errors.size());
    for (const NewError& error : errors) {
      values.push_back(value(error));
    }
    return values;
  };
  const auto viewOf = [](const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
  };
  database::Parameters parameters;
  for (const TextColumn& text : kTextColumns) {
    parameters.addArray(
        column([&](const NewError& error) { return viewOf(error.error->text(text.field)); }));
  }
  for (const PseudonymColumn& pseudonym : kPseudonymColumns) {
    parameters.addArray(column(
        [&](const NewError& error) { return viewOf(error.error->pseudonym(pseudonym.kind)); }));
  }
  const auto redactions =
      column([](const NewError& error) { return triage::redactionsJson(error.error->redactions); });
  std::vector<std::optional<database::Jsonb>> redactionValues;
  redactionValues.reserve(redactions.size());
  for (const auto& json : redactions) {
    redactionValues.push_back(json ? std::optional(database::Jsonb{*json}) : std::nullopt);
  }
  parameters.addArray(column([](const NewError& error) { return error.error->occurredAt; }))
      .addArray(column([](const NewError& error) { return error.error->httpStatus; }))
      .addArray(redactionValues)
      .addArray(column([](const NewError& error) { return database::Bytes(error.digest); }));
  std::vector<std::string_view> tracedIds;
  std::vector<std::string_view> traceparents;
  for (const NewError& error : errors) {
    if (const auto& traceparent = error.error->traceparent) {
      tracedIds.emplace_back(error.error->required(domain::TextField::requestId));
      traceparents.emplace_back(*traceparent);
    }
  }
  parameters.addArray(tracedIds)
      .addArray(traceparents)
      .add(receivedBy)
      .add(digestVersion)
      .add(domain::scrubberVersion());

  const database::Result result =
      co_await client.run(kInsertErrors, std::move(parameters), deadline);
  std::vector<StoredRow> rows;
  rows.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    rows.push_back({.dedupKey = result.value<std::string>(row, 0),
                    .id = result.value<std::int64_t>(row, 1),
                    .status = domain::AuthErrorStatus::fresh,
                    .digest = {},
                    .serviceName = {}});
  }
  co_return rows;
}

drogon::Task<std::vector<StoredRow>> findByRequestId(database::Client& client,
                                                     std::vector<std::string_view> requestIds,
                                                     std::string digestVersion,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(requestIds).add(digestVersion);
  const database::Result result =
      co_await client.run(kFindByRequestId, std::move(parameters), deadline);
  std::vector<StoredRow> rows;
  rows.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    rows.push_back(
        {.dedupKey = result.value<std::string>(row, 0),
         .id = result.value<std::int64_t>(row, 1),
         .status = domain::storedStatus(result.value<std::string_view>(row, 2)),
         .digest = digestFrom(result.value<std::optional<std::vector<std::byte>>>(row, 4)),
         .serviceName = result.value<std::optional<std::string>>(row, 3)});
  }
  co_return rows;
}

}  // namespace auth_errors::outbox
