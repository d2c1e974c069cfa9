#include "outbox/auth_error_store.h"

#include <algorithm>
#include <cstring>
#include <format>
#include <ranges>
#include <tuple>
#include <utility>

#include "domain/events/event_descriptor.h"
#include "domain/scrub/scrubber.h"
#include "domain/values/hex.h"
#include "platform/hashing/digest.h"
#include "triage/errors/auth_error_columns.h"
#include "triage/errors/redactions.h"

namespace auth_errors::outbox {
namespace {

using triage::kPseudonymColumns;
using triage::kTextColumns;
using triage::PseudonymColumn;
using triage::TextColumn;

// The payload is built here because only the database knows the new id. Values that belong to the
// event but not to the error are passed in separate arrays, by request id.
database::Statement insertStatement() {
  std::string parameters;
  std::string columns;
  std::string arrays;
  const auto add = [&](std::string_view column, std::string_view type) {
    parameters += std::format("{} ", column);
    columns += std::format("{}{}", columns.empty() ? "" : ", ", column);
    arrays += std::format("{}${}::{}[]", arrays.empty() ? "" : ", ", column, type);
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
  return {
      .name = "insert_errors",
      .parameters = parameters + "traced_ids traceparents received_by digest_version scrub_version",
      .sql = std::format(
          R"(WITH recorded AS (
  INSERT INTO auth_error ({}, status, received_at, status_changed_at, retry_count,
                          received_by, content_digest_version, scrub_version)
  SELECT *, '{}', now(), now(), 0, $received_by::text, $digest_version::text, $scrub_version::text
  FROM unnest({})
  ON CONFLICT (dedup_key) DO NOTHING
  RETURNING id, dedup_key, occurred_at
), enqueued AS (
  INSERT INTO outbox_message (event_id, aggregate_type, aggregate_id, event_type, idempotency_key,
                              payload, traceparent, status, retry_count, created_at)
  SELECT gen_random_uuid(), '{}', id, '{}', '{}' || id,
         jsonb_build_object('{}', id, '{}', dedup_key, '{}', occurred_at),
         traceparent, 'PENDING', 0, now()
  FROM recorded
  LEFT JOIN unnest($traced_ids::text[], $traceparents::text[]) AS traced (dedup_key, traceparent)
    USING (dedup_key)
)
SELECT dedup_key, id FROM recorded)",
          columns, domain::toText(domain::AuthErrorStatus::fresh), arrays,
          domain::kRecorded.aggregateType, domain::kRecorded.eventType, domain::kRecorded.keyPrefix,
          domain::payload_key::kAuthErrorId, domain::payload_key::kRequestId,
          domain::payload_key::kOccurredAt)};
}

const database::Statement kInsertErrors = insertStatement();

const database::Statement kFindByRequestId{
    .name = "find_errors_by_request_id",
    .sql =
        "SELECT dedup_key, id, status, service_name, "
        "CASE WHEN content_digest_version = $2::text THEN content_digest END "
        "FROM auth_error WHERE dedup_key = ANY($1::text[])"};

struct FoundRow {
  std::string dedupKey;
  domain::ErrorId id;
  domain::StoredName<domain::AuthErrorStatus> status;
  std::optional<std::string> serviceName;
  std::optional<std::vector<std::byte>> digest;
};

StoredRow toStoredRow(FoundRow found) {
  std::optional<ContentDigest> digest;
  if (found.digest && found.digest->size() == ContentDigest{}.size()) {
    std::ranges::copy(*found.digest, digest.emplace().begin());
  }
  return {.dedupKey = std::move(found.dedupKey),
          .id = found.id,
          .status = std::move(found.status),
          .digest = digest,
          .serviceName = std::move(found.serviceName)};
}

std::optional<std::string_view> viewOf(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

}  // namespace

ContentDigest contentDigest(const domain::AcceptedError& error) {
  // Prefixes each value with its length, so that different errors never hash the same text.
  std::string content =
      std::format("{}|{}|", error.occurredAt.time_since_epoch().count(), error.httpStatus);
  const auto append = [&content](const std::optional<std::string>& text) {
    content += text ? std::format("{}:{}", text->size(), *text) : "-";
  };
  std::ranges::for_each(error.texts, append);
  std::ranges::for_each(error.pseudonyms, append);
  const hashing::Digest whole = hashing::sha256(content);
  ContentDigest digest{};
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

std::string digestVersion(const DigestBasis& basis) {
  // Version of the digest's format.
  constexpr int kForm = 1;
  constexpr std::size_t kSettingsBytes = 6;
  const std::string settings = std::format(
      "identifiers {}|key {}", basis.keepsIdentifiers ? "kept" : "dropped",
      basis.actorKey == nullptr ? "none"
                                : std::format("{}:{}", basis.actorKey->version,
                                              security::fingerprintOf(*basis.actorKey)));
  const hashing::Digest digest = hashing::sha256(settings);
  return std::format("{}.{}.{}", kForm, domain::scrubberVersion(),
                     domain::toHex(std::span(digest).first<kSettingsBytes>()));
}

drogon::Task<std::vector<InsertedError>> insertErrors(database::Client& client,
                                                      std::vector<NewError> errors,
                                                      domain::InstanceName receivedBy,
                                                      std::string digestVersion,
                                                      database::Deadline deadline) {
  const auto column = [&errors](auto valueOf) { return std::views::transform(errors, valueOf); };
  // Views, so that no text is copied before it is encoded.
  const auto texts = std::apply(
      [&](const auto&... columns) {
        return std::tuple(column([field = columns.field](const NewError& error) {
          return viewOf(error.error->text(field));
        })...);
      },
      kTextColumns);
  const auto pseudonyms = std::apply(
      [&](const auto&... columns) {
        return std::tuple(column([kind = columns.kind](const NewError& error) {
          return viewOf(error.error->pseudonym(kind));
        })...);
      },
      kPseudonymColumns);
  std::vector<std::optional<std::string>> redactions;
  redactions.reserve(errors.size());
  std::vector<std::string_view> tracedIds;
  std::vector<std::string_view> traceparents;
  for (const NewError& error : errors) {
    redactions.push_back(triage::redactionsJson(error.error->redactions));
    if (const auto& traceparent = error.error->traceparent) {
      tracedIds.emplace_back(error.error->required(domain::TextField::requestId));
      traceparents.emplace_back(*traceparent);
    }
  }
  const auto asJsonb = [](const std::optional<std::string>& json) {
    return json ? std::optional(database::Jsonb{*json}) : std::nullopt;
  };
  const database::Result inserted = co_await std::apply(
      [&](const auto&... textArrays) {
        return client.run(
            kInsertErrors, deadline, textArrays...,
            column([](const NewError& error) { return error.error->occurredAt; }),
            column([](const NewError& error) { return error.error->httpStatus; }),
            std::views::transform(redactions, asJsonb),
            column([](const NewError& error) { return database::Bytes(error.digest); }), tracedIds,
            traceparents, receivedBy, digestVersion, domain::scrubberVersion());
      },
      std::tuple_cat(texts, pseudonyms));
  co_return inserted.as<InsertedError>();
}

drogon::Task<std::vector<StoredRow>> findByRequestId(database::Client& client,
                                                     std::vector<std::string_view> requestIds,
                                                     std::string digestVersion,
                                                     database::Deadline deadline) {
  const database::Result result =
      co_await client.run(kFindByRequestId, deadline, requestIds, digestVersion);
  std::vector<StoredRow> rows;
  rows.reserve(result.rows());
  for (FoundRow& found : result.as<FoundRow>()) {
    rows.push_back(toStoredRow(std::move(found)));
  }
  co_return rows;
}

}  // namespace auth_errors::outbox
