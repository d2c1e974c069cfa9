#include "operations/rescrub/scrub_work.h"

#include <algorithm>
#include <format>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "domain/identity/ids.h"
#include "domain/scrub/scrubber.h"
#include "operations/rescrub/error_texts.h"
#include "operations/rescrub/scrub_position.h"
#include "operations/rescrub/stored_texts.h"
#include "platform/database/advisory_lock.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/member_deltas.h"
#include "triage/clusters/route_upgrade.h"
#include "triage/errors/auth_error_columns.h"
#include "triage/errors/redactions.h"

namespace auth_errors::rescrub {
namespace {

using domain::TextField;
using triage::kTextColumns;
using triage::TextColumn;

// Columns that scrubbing may change.
std::vector<TextColumn> scrubbedColumns() {
  std::vector<TextColumn> columns;
  std::ranges::copy_if(kTextColumns, std::back_inserter(columns), [](const TextColumn& column) {
    return domain::isScrubbed(domain::ruleOf(column.field));
  });
  return columns;
}

// StoredTexts are read in the order of the columns.
static_assert(std::ranges::adjacent_find(kTextColumns, std::ranges::greater_equal{},
                                         &TextColumn::field) == kTextColumns.end());
std::string nextErrorsSql() {
  std::string columns;
  for (const TextColumn& column : kTextColumns) {
    columns += std::format(", {}", column.name);
  }
  return std::format(
      "SELECT id, stack_hash{} FROM auth_error WHERE id > $after AND id <= $window_end "
      "AND scrub_version IS DISTINCT FROM $version ORDER BY id LIMIT $rows FOR NO KEY UPDATE",
      columns);
}
const database::Statement kNextErrors{.name = "next_errors_to_scrub",
                                      .parameters = "after window_end version rows",
                                      .sql = nextErrorsSql()};

const database::Statement kNextId{.name = "next_error_id",
                                  .sql = "SELECT min(id) FROM auth_error WHERE id > $1"};

// An unchanged text is not sent back: the new row takes the stored value.
database::Statement updateErrors() {
  std::string sets;
  std::string arrays;
  std::string names;
  std::string parameters = "version ids";
  for (const TextColumn& column : scrubbedColumns()) {
    sets += std::format("{0} = coalesce(given.{0}, e.{0}), ", column.name);
    arrays += std::format(", ${}::text[]", column.name);
    names += std::format(", {}", column.name);
    parameters += std::format(" {}", column.name);
  }
  return {.name = "update_scrubbed_errors",
          .parameters = parameters + " redactions",
          .sql = std::format(R"(UPDATE auth_error e SET {0}scrub_version = $version,
  redactions = CASE WHEN given.redactions IS NULL THEN e.redactions ELSE (
    SELECT jsonb_object_agg(kind, redacted) FROM (
      SELECT kind, sum(count::bigint) AS redacted
      FROM (SELECT * FROM jsonb_each_text(coalesce(e.redactions, '{{}}'))
            UNION ALL SELECT * FROM jsonb_each_text(given.redactions)) AS found (kind, count)
      GROUP BY kind) AS sums) END
FROM unnest($ids::bigint[]{1}, $redactions::jsonb[]) AS given (id{2}, redactions)
WHERE e.id = given.id)",
                             sets, arrays, names)};
}
const database::Statement kUpdateErrors = updateErrors();

// A cluster's counts by service and environment follow the scrubbed names of its members.
database::Statement recount(std::string_view name, int change) {
  return {.name = std::string(name),
          .sql = std::format("WITH m AS (SELECT cluster_id, auth_error_id, stack_hash FROM "
                             "cluster_member WHERE auth_error_id = ANY($1::bigint[])) {}",
                             clusters::insertDeltas("m", change))};
}
const database::Statement kUncountMembers = recount("uncount_scrubbed_members", -1);
const database::Statement kCountMembers = recount("count_scrubbed_members", 1);

struct StoredError {
  domain::ErrorId id;
  std::optional<std::string_view> stackHash;
  StoredTexts texts;
};
struct ErrorInHand {
  StoredError stored;
  ScrubbedError scrubbed;
  std::optional<std::string> redactions;  // JSON
};

// The texts are views into the result.
std::vector<ErrorInHand> scrubbedErrors(const database::Result& rows) {
  std::vector<ErrorInHand> errors;
  errors.reserve(rows.rows());
  for (const StoredError& stored : rows.as<StoredError>()) {
    ErrorInHand& error = errors.emplace_back();
    error.stored = stored;
    error.scrubbed = rescrubbed(stored.texts);
    error.redactions = triage::redactionsJson(error.scrubbed.counts);
  }
  return errors;
}

std::optional<database::Jsonb> asJsonb(const std::optional<std::string>& text) {
  return text ? std::optional(database::Jsonb{*text}) : std::nullopt;
}

// The values of kUpdateErrors.
database::Parameters updateOf(const std::vector<ErrorInHand>& errors, std::string_view version) {
  auto values = database::encoded(
      version, database::columns(errors, [](const ErrorInHand& error) { return error.stored.id; }));
  for (const TextColumn& column : scrubbedColumns()) {
    const auto place = static_cast<std::size_t>(column.field);
    values.append(database::columns(
        errors, [place](const ErrorInHand& error) -> const std::optional<std::string>& {
          return error.scrubbed.texts.at(place);
        }));
  }
  values.append(database::columns(
      errors, [](const ErrorInHand& error) { return asJsonb(error.redactions); }));
  return values;
}

// Faults whose hash has changed.
std::vector<clusters::RouteUpgrade> newRoutes(const std::vector<ErrorInHand>& errors) {
  std::vector<clusters::RouteUpgrade> routes;
  for (const ErrorInHand& error : errors) {
    const StoredError& stored = error.stored;
    const auto text = [&](TextField field) -> std::string_view {
      const auto place = static_cast<std::size_t>(field);
      const auto& scrubbed = error.scrubbed.texts.at(place);
      return scrubbed ? std::string_view(*scrubbed) : stored.texts.at(place).value_or("");
    };
    if (!stored.stackHash || !error.scrubbed.changed) {
      continue;
    }
    clusters::Fault fault =
        clusters::faultOf({.exceptionClass = text(TextField::exceptionClass),
                           .rootCauseClass = text(TextField::rootCauseClass),
                           .exceptionMessage = text(TextField::exceptionMessage),
                           .stacktrace = text(TextField::stacktrace)});
    if (fault.stackHash != *stored.stackHash) {
      routes.push_back({.oldHash = std::string(*stored.stackHash), .fault = std::move(fault)});
    }
  }
  return routes;
}

std::vector<domain::ErrorId> renamed(const std::vector<ErrorInHand>& errors) {
  std::vector<domain::ErrorId> ids;
  for (const ErrorInHand& error : errors) {
    if (error.scrubbed.changes(TextField::serviceName) ||
        error.scrubbed.changes(TextField::environment)) {
      ids.push_back(error.stored.id);
    }
  }
  return ids;
}

drogon::Task<void> runFor(database::Transaction& transaction, const database::Statement& statement,
                          std::vector<domain::ErrorId> ids) {
  if (!ids.empty()) {
    co_await transaction.run(statement, ids);
  }
}

struct RowInHand {
  std::int64_t key = 0;
  std::string_view identity;
  std::vector<std::optional<std::string>> texts;  // in the order of the table's texts
};

// The rows that change, with their changed texts. Their identities are views into the result.
std::vector<RowInHand> scrubbedRows(const TextTable& table, const database::Result& stored) {
  auto rows = stored.as<RowInHand>();
  for (RowInHand& row : rows) {
    for (auto&& [text, content] : std::views::zip(table.texts, row.texts)) {
      if (content) {
        content = rescrubbed(text, *content);
      }
    }
  }
  std::erase_if(rows, [](const RowInHand& row) {
    return std::ranges::none_of(row.texts, [](const auto& text) { return text.has_value(); });
  });
  return rows;
}

// The values of a walk's update.
database::Parameters updateOf(const TextTable& table, const std::vector<RowInHand>& rows) {
  auto values = database::columns(rows, &RowInHand::key, &RowInHand::identity);
  for (std::size_t i = 0; i < table.texts.size(); ++i) {
    const auto text = [i](const RowInHand& row) -> const std::optional<std::string>& {
      return row.texts[i];
    };
    const auto json = [i](const RowInHand& row) { return asJsonb(row.texts[i]); };
    values.append(typeOf(table.texts[i]) == "jsonb" ? database::columns(rows, json)
                                                    : database::columns(rows, text));
  }
  return values;
}

}  // namespace

ScrubWork::ScrubWork(Options options) : options_(options) {
  for (const TextTable& table : textTables()) {
    std::string reads;
    std::string sets;
    std::string arrays;
    std::string names;
    std::string parameters = "walk_keys walk_identities";
    for (const StoredText& text : table.texts) {
      reads += std::format("{}{}", reads.empty() ? "" : ", ", storedSql(text));
      sets +=
          std::format("{0}{1} = coalesce(given.{1}, t.{1})", sets.empty() ? "" : ", ", text.column);
      arrays += std::format(", ${}::{}[]", text.column, typeOf(text));
      names += std::format(", {}", text.column);
      parameters += std::format(" {}", text.column);
    }
    if (!table.alsoSet.empty()) {
      sets += std::format(", {}", table.alsoSet);
    }
    walks_.push_back(
        {.number = table.number,
         .pageEnd = {.name = std::format("{}_page_to_scrub", table.name),
                     .sql = std::format("SELECT max(key) FROM (SELECT t.{1} AS key FROM "
                                        "{0} t WHERE t.{1} > $1 ORDER BY t.{1} LIMIT $2) AS page",
                                        table.name, table.key)},
         .read =
             {.name = std::format("{}_rows_to_scrub", table.name),
              .sql = std::format(
                  "SELECT t.{1}, t.{2}::text, ARRAY[{3}]::text[] FROM {0} t WHERE t.{1} > $1 AND "
                  "t.{1} <= $2 AND {4} ORDER BY t.{1} FOR NO KEY UPDATE",
                  table.name, table.key, table.identity, reads, hasTextSql(table))},
         .update = {
             .name = std::format("update_scrubbed_{}", table.name),
             .parameters = parameters,
             .sql = std::format(
                 "UPDATE {0} t SET {1} FROM unnest($walk_keys::bigint[], "
                 "$walk_identities::text[]{2}) AS given (walk_key, walk_identity{3}) WHERE "
                 "t.{4} = given.walk_key AND t.{5} = given.walk_identity::{6}",
                 table.name, sets, arrays, names, table.key, table.identity, table.identityType)}});
  }
}

drogon::Task<jobs::Chunk> ScrubWork::run(database::Transaction& transaction, jobs::Job job,
                                         std::size_t /*rows*/) {
  const ScrubPosition position = ScrubPosition::of(job.position);
  if (position.table == kErrorTable) {
    co_return co_await scrubErrors(transaction, position.key, job.request.scrubVersion.value());
  }
  const auto walk = std::ranges::find(walks_, position.table, &Walk::number);
  if (walk == walks_.end()) {
    throw std::runtime_error(std::format("there is no table with number {}", position.table));
  }
  co_return co_await scrubTable(transaction, static_cast<std::size_t>(walk - walks_.begin()),
                                position.key);
}

// Locks are taken in the common order: errors, routes, clusters.
drogon::Task<jobs::Chunk> ScrubWork::scrubErrors(database::Transaction& transaction,
                                                 std::int64_t after, std::string version) {
  // A row marked with a version must have been scrubbed by that version.
  if (version != domain::scrubberVersion()) {
    throw std::runtime_error("the job requires a different scrubber version");
  }
  const std::int64_t windowEnd = after + options_.window;
  const database::Result rows =
      co_await transaction.run(kNextErrors, after, windowEnd, version, options_.errors);
  const std::vector<ErrorInHand> errors = scrubbedErrors(rows);
  jobs::Chunk chunk{.examined = static_cast<std::int64_t>(errors.size())};
  chunk.changed = std::ranges::count_if(
      errors, [](const ErrorInHand& error) { return error.scrubbed.changed; });
  if (!errors.empty()) {
    std::vector<domain::ErrorId> called = renamed(errors);
    co_await runFor(transaction, kUncountMembers, called);
    co_await transaction.run(kUpdateErrors, updateOf(errors, version));
    co_await runFor(transaction, kCountMembers, std::move(called));
    if (std::vector<clusters::RouteUpgrade> routes = newRoutes(errors); !routes.empty()) {
      co_await database::lockShared(transaction, database::AdvisoryLock::routes);
      co_await clusters::inheritRoutes(transaction, std::move(routes));
    }
  }
  if (errors.size() == options_.errors) {
    chunk.position =
        ScrubPosition{.table = kErrorTable, .key = errors.back().stored.id.value()}.encoded();
    co_return chunk;
  }
  const database::Result next = co_await transaction.run(kNextId, windowEnd);
  const auto id = next.only<std::optional<std::int64_t>>();
  chunk.position = id ? ScrubPosition{.table = kErrorTable, .key = *id - 1}.encoded()
                      : ScrubPosition{.table = walks_.front().number, .key = 0}.encoded();
  co_return chunk;
}

drogon::Task<jobs::Chunk> ScrubWork::scrubTable(database::Transaction& transaction,
                                                std::size_t place, std::int64_t after) {
  const Walk& walk = walks_.at(place);
  const TextTable& table = textTables()[place];
  const database::Result page = co_await transaction.run(walk.pageEnd, after, options_.rows);
  const auto pageEnd = page.only<std::optional<std::int64_t>>();
  jobs::Chunk chunk;
  if (!pageEnd) {
    chunk.last = place + 1 == walks_.size();
    chunk.position = chunk.last
                         ? ScrubPosition{.table = walk.number, .key = after}.encoded()
                         : ScrubPosition{.table = walks_.at(place + 1).number, .key = 0}.encoded();
    co_return chunk;
  }
  const database::Result rows = co_await transaction.run(walk.read, after, *pageEnd);
  const std::vector<RowInHand> scrubbed = scrubbedRows(table, rows);
  if (!scrubbed.empty()) {
    co_await transaction.run(walk.update, updateOf(table, scrubbed));
  }
  chunk.examined = static_cast<std::int64_t>(rows.rows());
  chunk.changed = static_cast<std::int64_t>(scrubbed.size());
  chunk.position = ScrubPosition{.table = walk.number, .key = *pageEnd}.encoded();
  co_return chunk;
}

}  // namespace auth_errors::rescrub
