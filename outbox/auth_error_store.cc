#include "outbox/auth_error_store.h"

#include <format>
#include <stdexcept>

#include "domain/event_descriptor.h"

namespace auth_errors::outbox {
namespace {

using domain::TextField;

// The payload is built here because only the database knows the new id.
const database::Statement kInsertErrors{
    .name = "insert_errors",
    .sql = std::format(
        R"(WITH recorded AS (
  INSERT INTO auth_error (dedup_key, exception_class, stacktrace, occurred_at, http_status,
                          status, received_at, status_changed_at, retry_count)
  SELECT *, '{}', now(), now(), 0
  FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::int[])
  ON CONFLICT (dedup_key) DO NOTHING
  RETURNING id, dedup_key, occurred_at
), enqueued AS (
  INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, payload,
                              status, retry_count, created_at)
  SELECT '{}', id, '{}', '{}' || id,
         jsonb_build_object('{}', id, '{}', dedup_key, '{}', occurred_at), 'PENDING', 0, now()
  FROM recorded
)
SELECT dedup_key, id FROM recorded)",
        domain::toText(domain::AuthErrorStatus::fresh), domain::kRecorded.aggregateType,
        domain::kRecorded.eventType, domain::kRecorded.keyPrefix, domain::payload_key::kAuthErrorId,
        domain::payload_key::kRequestId, domain::payload_key::kOccurredAt)};

const database::Statement kFindByRequestId{
    .name = "find_errors_by_request_id",
    .sql = "SELECT dedup_key, id, status FROM auth_error WHERE dedup_key = ANY($1::text[])"};

}  // namespace

drogon::Task<std::vector<StoredRow>> insertErrors(
    database::Client& client, std::span<const domain::AcceptedError* const> errors,
    database::Deadline deadline) {
  const auto column = [errors](auto&& value) {
    std::vector<std::remove_cvref_t<decltype(value(*errors.front()))>> values;
    values.reserve(errors.size());
    for (const domain::AcceptedError* error : errors) {
      values.push_back(value(*error));
    }
    return values;
  };
  const auto text = [&column](TextField field) {
    return column([field](const domain::AcceptedError& error) {
      return std::string_view(error.required(field));
    });
  };
  database::Parameters parameters;
  parameters.addArray(text(TextField::requestId))
      .addArray(text(TextField::exceptionClass))
      .addArray(text(TextField::stacktrace))
      .addArray(column([](const domain::AcceptedError& error) { return error.occurredAt; }))
      .addArray(column([](const domain::AcceptedError& error) { return error.httpStatus; }));

  const database::Result result =
      co_await client.run(kInsertErrors, std::move(parameters), deadline);
  std::vector<StoredRow> rows;
  rows.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    rows.push_back({.dedupKey = result.value<std::string>(row, 0),
                    .id = result.value<std::int64_t>(row, 1),
                    .status = domain::AuthErrorStatus::fresh});
  }
  co_return rows;
}

drogon::Task<std::vector<StoredRow>> findByRequestId(database::Client& client,
                                                     std::vector<std::string_view> requestIds,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(requestIds);
  const database::Result result =
      co_await client.run(kFindByRequestId, std::move(parameters), deadline);
  std::vector<StoredRow> rows;
  rows.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    const auto status = domain::authErrorStatusFrom(result.value<std::string_view>(row, 2));
    if (!status) {
      throw std::runtime_error("auth_error holds a status that this version does not know");
    }
    rows.push_back({.dedupKey = result.value<std::string>(row, 0),
                    .id = result.value<std::int64_t>(row, 1),
                    .status = *status});
  }
  co_return rows;
}

}  // namespace auth_errors::outbox
