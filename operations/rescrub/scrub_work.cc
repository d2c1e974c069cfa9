#include "operations/rescrub/scrub_work.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_columns.h"
#include "domain/scrub/scrubber.h"
#include "operations/rescrub/error_texts.h"
#include "operations/rescrub/scrub_position.h"
#include "operations/rescrub/stored_texts.h"
#include "platform/database/row_reader.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/member_deltas.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/route_upgrade.h"
#include "triage/errors/redactions.h"

namespace auth_errors::rescrub {
namespace {

using domain::kTextColumns;
using domain::TextColumn;
using domain::TextField;

// Columns that scrubbing may change.
std::vector<TextColumn> scrubbedColumns() {
  std::vector<TextColumn> columns;
  std::ranges::copy_if(kTextColumns, std::back_inserter(columns), [](const TextColumn& column) {
    return domain::isScrubbed(domain::ruleOf(column.field));
  });
  return columns;
}

std::string nextErrorsSql() {
  std::string columns;
  for (const TextColumn& column : kTextColumns) {
    columns += std::format(", {}", column.name);
  }
  return std::format(
      "SELECT id, stack_hash{} FROM auth_error WHERE id > $1 AND id <= $2 "
      "AND scrub_version IS DISTINCT FROM $3 ORDER BY id LIMIT $4 FOR NO KEY UPDATE",
      columns);
}
const database::Statement kNextErrors{.name = "next_errors_to_scrub", .sql = nextErrorsSql()};

const database::Statement kNextId{.name = "next_error_id",
                                  .sql = "SELECT min(id) FROM auth_error WHERE id > $1"};

// A text that stays is not sent back: its stored value goes into the new row as it is.
std::string updateErrorsSql() {
  std::string sets;
  std::string arrays;
  std::string names;
  int parameter = 2;
  for (const TextColumn& column : scrubbedColumns()) {
    sets += std::format("{0} = coalesce(given.{0}, e.{0}), ", column.name);
    arrays += std::format(", ${}::text[]", ++parameter);
    names += std::format(", {}", column.name);
  }
  return std::format(R"(UPDATE auth_error e SET {0}scrub_version = $1,
  redactions = CASE WHEN given.redactions IS NULL THEN e.redactions ELSE (
    SELECT jsonb_object_agg(kind, redacted) FROM (
      SELECT kind, sum(count::bigint) AS redacted
      FROM (SELECT * FROM jsonb_each_text(coalesce(e.redactions, '{{}}'))
            UNION ALL SELECT * FROM jsonb_each_text(given.redactions)) AS found (kind, count)
      GROUP BY kind) AS sums) END
FROM unnest($2::bigint[]{1}, ${3}::jsonb[]) AS given (id{2}, redactions)
WHERE e.id = given.id)",
                     sets, arrays, names, parameter + 1);
}
const database::Statement kUpdateErrors{.name = "update_scrubbed_errors", .sql = updateErrorsSql()};

// A cluster's numbers by service and environment follow what its members are called now.
database::Statement recount(std::string_view name, int change) {
  return {.name = std::string(name),
          .sql = std::format("WITH m AS (SELECT cluster_id, auth_error_id, stack_hash FROM "
                             "cluster_member WHERE auth_error_id = ANY($1::bigint[])) {}",
                             clusters::insertDeltas("m", change))};
}
const database::Statement kUncountMembers = recount("uncount_scrubbed_members", -1);
const database::Statement kCountMembers = recount("count_scrubbed_members", 1);

struct StoredError {
  std::int64_t id = 0;
  std::optional<std::string> stackHash;
  StoredTexts texts;
  ScrubbedError scrubbed;
};

// The texts are those of the result.
std::vector<StoredError> scrubbedErrors(const database::Result& rows) {
  std::vector<StoredError> errors;
  errors.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    database::RowReader reader(rows, row);
    StoredError& error = errors.emplace_back();
    reader.next(error.id);
    reader.next(error.stackHash);
    for (const TextColumn& column : kTextColumns) {
      reader.next(error.texts.at(static_cast<std::size_t>(column.field)));
    }
    error.scrubbed = rescrubbed(error.texts);
  }
  return errors;
}

database::Parameters updateOf(const std::vector<StoredError>& errors, std::string_view version) {
  std::vector<std::int64_t> ids;
  std::vector<std::optional<std::string>> redactions;
  for (const StoredError& error : errors) {
    ids.push_back(error.id);
    redactions.push_back(triage::redactionsJson(error.scrubbed.counts));
  }
  database::Parameters parameters;
  parameters.add(version).addArray(ids);
  for (const TextColumn& column : scrubbedColumns()) {
    std::vector<std::optional<std::string_view>> texts;
    texts.reserve(errors.size());
    for (const StoredError& error : errors) {
      texts.emplace_back(error.scrubbed.texts.at(static_cast<std::size_t>(column.field)));
    }
    parameters.addArray(texts);
  }
  std::vector<std::optional<database::Jsonb>> values;
  values.reserve(redactions.size());
  for (const std::optional<std::string>& json : redactions) {
    values.push_back(json ? std::optional(database::Jsonb{*json}) : std::nullopt);
  }
  parameters.addArray(values);
  return parameters;
}

// Faults that have another hash by now.
std::vector<clusters::RouteUpgrade> newRoutes(const std::vector<StoredError>& errors) {
  std::vector<clusters::RouteUpgrade> routes;
  for (const StoredError& error : errors) {
    const auto text = [&error](TextField field) -> std::string_view {
      const auto place = static_cast<std::size_t>(field);
      const auto& scrubbed = error.scrubbed.texts.at(place);
      return scrubbed ? std::string_view(*scrubbed) : error.texts.at(place).value_or("");
    };
    if (!error.stackHash || !error.scrubbed.changed) {
      continue;
    }
    clusters::Fault fault =
        clusters::faultOf({.exceptionClass = text(TextField::exceptionClass),
                           .rootCauseClass = text(TextField::rootCauseClass),
                           .exceptionMessage = text(TextField::exceptionMessage),
                           .stacktrace = text(TextField::stacktrace)});
    if (fault.stackHash != *error.stackHash) {
      routes.push_back({.oldHash = *error.stackHash, .fault = std::move(fault)});
    }
  }
  return routes;
}

std::vector<std::int64_t> renamed(const std::vector<StoredError>& errors) {
  std::vector<std::int64_t> ids;
  for (const StoredError& error : errors) {
    if (error.scrubbed.changes(TextField::serviceName) ||
        error.scrubbed.changes(TextField::environment)) {
      ids.push_back(error.id);
    }
  }
  return ids;
}

drogon::Task<void> runFor(database::Transaction& transaction, const database::Statement& statement,
                          std::vector<std::int64_t> ids, database::Deadline deadline) {
  if (ids.empty()) {
    co_return;
  }
  database::Parameters parameters;
  parameters.addArray(ids);
  co_await transaction.run(statement, std::move(parameters), deadline);
}

}  // namespace

ScrubWork::ScrubWork(Options options) : options_(options) {
  for (const TextTable& table : textTables()) {
    std::string reads;
    std::string sets;
    std::string arrays;
    std::string names;
    int parameter = 2;
    for (const StoredText& text : table.texts) {
      reads += std::format(", {}", storedSql(text));
      sets +=
          std::format("{0}{1} = coalesce(given.{1}, t.{1})", sets.empty() ? "" : ", ", text.column);
      arrays += std::format(", ${}::{}[]", ++parameter, typeOf(text));
      names += std::format(", {}", text.column);
    }
    if (!table.alsoSet.empty()) {
      sets += std::format(", {}", table.alsoSet);
    }
    walks_.push_back(
        {.number = table.number,
         .texts = table.texts.size(),
         .pageEnd = {.name = std::format("{}_page_to_scrub", table.name),
                     .sql = std::format("SELECT max(key), count(*) FROM (SELECT t.{1} AS key FROM "
                                        "{0} t WHERE t.{1} > $1 ORDER BY t.{1} LIMIT $2) AS page",
                                        table.name, table.key)},
         .read = {.name = std::format("{}_rows_to_scrub", table.name),
                  .sql =
                      std::format("SELECT t.{1}, t.{2}::text{3} FROM {0} t WHERE t.{1} > $1 AND "
                                  "t.{1} <= $2 AND {4} ORDER BY t.{1} FOR NO KEY UPDATE",
                                  table.name, table.key, table.identity, reads, hasTextSql(table))},
         .update = {
             .name = std::format("update_scrubbed_{}", table.name),
             .sql = std::format("UPDATE {0} t SET {1} FROM unnest($1::bigint[], "
                                "$2::text[]{2}) AS given (walk_key, walk_identity{3}) WHERE "
                                "t.{4} = given.walk_key AND t.{5} = given.walk_identity::{6}",
                                table.name, sets, arrays, names, table.key, table.identity,
                                table.identityType)}});
  }
}

drogon::Task<jobs::Chunk> ScrubWork::run(database::Transaction& transaction, jobs::Job job,
                                         std::size_t /*rows*/, database::Deadline deadline) {
  const ScrubPosition position = ScrubPosition::of(job.position);
  if (position.table == kErrorTable) {
    co_return co_await scrubErrors(transaction, position.key, job.request.scrubVersion.value(),
                                   deadline);
  }
  const auto walk = std::ranges::find(walks_, position.table, &Walk::number);
  if (walk == walks_.end()) {
    throw std::runtime_error(std::format("no table has the number {}", position.table));
  }
  co_return co_await scrubTable(transaction, static_cast<std::size_t>(walk - walks_.begin()),
                                position.key, deadline);
}

// Locks come in everybody's order: errors, routes, clusters.
drogon::Task<jobs::Chunk> ScrubWork::scrubErrors(database::Transaction& transaction,
                                                 std::int64_t after, std::string version,
                                                 database::Deadline deadline) {
  // Whoever marks rows with it has gone through it.
  if (version != domain::scrubberVersion()) {
    throw std::runtime_error("the job asks for another scrubber than this instance's");
  }
  const std::int64_t windowEnd = after + options_.window;
  database::Parameters ofRows;
  ofRows.add(after).add(windowEnd).add(version).add(static_cast<std::int64_t>(options_.errors));
  const database::Result rows = co_await transaction.run(kNextErrors, std::move(ofRows), deadline);
  const std::vector<StoredError> errors = scrubbedErrors(rows);
  jobs::Chunk chunk{.examined = static_cast<std::int64_t>(errors.size())};
  chunk.changed = std::ranges::count_if(
      errors, [](const StoredError& error) { return error.scrubbed.changed; });
  if (!errors.empty()) {
    std::vector<std::int64_t> called = renamed(errors);
    co_await runFor(transaction, kUncountMembers, called, deadline);
    co_await transaction.run(kUpdateErrors, updateOf(errors, version), deadline);
    co_await runFor(transaction, kCountMembers, std::move(called), deadline);
    if (std::vector<clusters::RouteUpgrade> routes = newRoutes(errors); !routes.empty()) {
      co_await clusters::lockRoutes(transaction, deadline);
      co_await clusters::inheritRoutes(transaction, std::move(routes), deadline);
    }
  }
  if (errors.size() == options_.errors) {
    chunk.position = ScrubPosition{.table = kErrorTable, .key = errors.back().id}.encoded();
    co_return chunk;
  }
  database::Parameters ofNext;
  ofNext.add(windowEnd);
  const database::Result next = co_await transaction.run(kNextId, std::move(ofNext), deadline);
  const auto id = next.value<std::optional<std::int64_t>>(0, 0);
  chunk.position = id ? ScrubPosition{.table = kErrorTable, .key = *id - 1}.encoded()
                      : ScrubPosition{.table = walks_.front().number, .key = 0}.encoded();
  co_return chunk;
}

drogon::Task<jobs::Chunk> ScrubWork::scrubTable(database::Transaction& transaction,
                                                std::size_t place, std::int64_t after,
                                                database::Deadline deadline) {
  const Walk& walk = walks_.at(place);
  const TextTable& table = textTables()[place];
  database::Parameters ofPage;
  ofPage.add(after).add(static_cast<std::int64_t>(options_.rows));
  const database::Result page = co_await transaction.run(walk.pageEnd, std::move(ofPage), deadline);
  jobs::Chunk chunk;
  if (page.value<std::int64_t>(0, 1) == 0) {
    chunk.last = place + 1 == walks_.size();
    chunk.position = chunk.last
                         ? ScrubPosition{.table = walk.number, .key = after}.encoded()
                         : ScrubPosition{.table = walks_.at(place + 1).number, .key = 0}.encoded();
    co_return chunk;
  }
  const auto pageEnd = page.value<std::int64_t>(0, 0);
  database::Parameters ofRows;
  ofRows.add(after).add(pageEnd);
  const database::Result rows = co_await transaction.run(walk.read, std::move(ofRows), deadline);
  std::vector<std::int64_t> keys;
  std::vector<std::string_view> identities;
  std::vector<std::vector<std::optional<std::string>>> columns(walk.texts);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::vector<std::optional<std::string>> scrubbed;
    for (std::size_t i = 0; i < walk.texts; ++i) {
      const auto stored = rows.value<std::optional<std::string_view>>(row, i + 2);
      scrubbed.push_back(stored ? rescrubbed(table.texts[i], *stored) : std::nullopt);
    }
    if (std::ranges::none_of(scrubbed, [](const auto& text) { return text.has_value(); })) {
      continue;
    }
    keys.push_back(rows.value<std::int64_t>(row, 0));
    identities.push_back(rows.value<std::string_view>(row, 1));
    for (std::size_t i = 0; i < walk.texts; ++i) {
      columns[i].push_back(std::move(scrubbed[i]));
    }
  }
  if (!keys.empty()) {
    database::Parameters ofUpdate;
    ofUpdate.addArray(keys).addArray(identities);
    for (std::size_t i = 0; i < walk.texts; ++i) {
      if (typeOf(table.texts[i]) == "jsonb") {
        std::vector<std::optional<database::Jsonb>> values;
        for (const std::optional<std::string>& json : columns[i]) {
          values.push_back(json ? std::optional(database::Jsonb{*json}) : std::nullopt);
        }
        ofUpdate.addArray(values);
      } else {
        ofUpdate.addArray(columns[i]);
      }
    }
    co_await transaction.run(walk.update, std::move(ofUpdate), deadline);
  }
  chunk.examined = static_cast<std::int64_t>(rows.rows());
  chunk.changed = static_cast<std::int64_t>(keys.size());
  chunk.position = ScrubPosition{.table = walk.number, .key = pageEnd}.encoded();
  co_return chunk;
}

}  // namespace auth_errors::rescrub
