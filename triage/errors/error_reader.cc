#include "triage/errors/error_reader.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <string_view>
#include <utility>

#include "platform/database/answer.h"
#include "platform/database/conditions.h"
#include "triage/errors/auth_error_columns.h"
#include "triage/errors/received_since.h"

namespace auth_errors::triage {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using database::Conditions;

constexpr std::string_view kReadingFailed = "reading.failed";

// Their place in a StoredAuthError.
static_assert(std::ranges::is_sorted(kTextColumns, {}, &TextColumn::field));
static_assert(std::ranges::is_sorted(kPseudonymColumns, {}, &PseudonymColumn::kind));

// The columns of a StoredAuthError.
std::string columnsOf(Extent extent) {
  std::string list =
      "id, status, occurred_at, received_at, status_changed_at, http_status, stack_hash, "
      "retry_count, next_retry_at, coalesce(redactions, '{}')";
  for (const TextColumn& column : kTextColumns) {
    const bool wanted = extent == Extent::full || inSummary(column.field);
    list += std::format(", {}", wanted ? column.name : "NULL::text");
  }
  for (const PseudonymColumn& column : kPseudonymColumns) {
    list += std::format(", {}", column.name);
  }
  return list;
}

// The deadline passed while the statement was running, without a response from the server.
bool gaveUpRunning(const database::Error& error) {
  return error.failure() == database::Failure::outcomeUnknown && error.sqlState().empty();
}

std::string_view idColumn(const ErrorFilter& filter) {
  return filter.clusterId ? "m.auth_error_id" : "id";
}

// The first form matches the index on waiting errors.
constexpr std::string_view kIsStuck =
    "status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED') AND "
    "status_changed_at < now() - ?";

Conditions conditionsOf(const PageRequest& request, std::optional<domain::ErrorId> firstId,
                        std::chrono::milliseconds stuckAfter) {
  const ErrorFilter& filter = request.filter;
  Conditions conditions;
  const std::string_view id = idColumn(filter);
  conditions.add("m.cluster_id = ?", filter.clusterId);
  conditions.add(std::format("{} < ?", id), request.before);
  conditions.add(std::format("{} >= ?", id), firstId);
  conditions.add("status = ?", filter.status);
  conditions.add("http_status = ?", filter.httpStatus);
  conditions.add("exception_class = ?", filter.exceptionClass);
  conditions.add("service_name = ?", filter.serviceName);
  conditions.add("environment = ?", filter.environment);
  conditions.add("stack_hash = ?", filter.stackHash);
  conditions.add("occurred_at >= ?", filter.from);
  conditions.add("occurred_at < ?", filter.to);
  if (filter.stuck) {
    conditions.add(*filter.stuck ? std::string(kIsStuck) : std::format("NOT ({})", kIsStuck),
                   stuckAfter);
  }
  if (filter.messagePart) {
    conditions.add("(exception_message ILIKE ? OR root_cause_message ILIKE ?)",
                   database::likePattern(*filter.messagePart));
  }
  for (const PseudonymColumn& column : kPseudonymColumns) {
    conditions.addAnyOf(column.name, filter.pseudonyms.at(static_cast<std::size_t>(column.kind)));
  }
  return conditions;
}

// Whether many rows may be scanned before the first that matches.
bool mayWalkFar(const ErrorFilter& filter) {
  ErrorFilter allMembers;
  allMembers.clusterId = filter.clusterId;
  return filter != allMembers;
}

// How a page is found: by walking down the ids, or by collecting all matches and sorting them.
enum class Plan : std::uint8_t { walk, sort };

// A cluster's members are walked by their own key, looking up each error: OFFSET 0 keeps the
// planner from scanning all errors instead, because it assumes that members are spread evenly over
// them.
std::string_view sourceOf(const ErrorFilter& filter, Plan plan) {
  if (!filter.clusterId) {
    return "auth_error";
  }
  return plan == Plan::walk
             ? "(SELECT cluster_id, auth_error_id FROM cluster_member) m CROSS JOIN LATERAL "
               "(SELECT * FROM auth_error WHERE id = m.auth_error_id OFFSET 0) e"
             : "(SELECT cluster_id, auth_error_id FROM cluster_member) m JOIN auth_error "
               "ON id = m.auth_error_id";
}

// Not prepared: the planner should see the values, and prepared plans would pile up per
// combination.
database::Statement pageStatement(const PageRequest& request, const Conditions& conditions,
                                  Plan plan) {
  return {.name = {},
          .sql = std::format("SELECT {} FROM {}{} ORDER BY {}{} DESC LIMIT {}",
                             columnsOf(request.extent), sourceOf(request.filter, plan),
                             conditions.sql(), idColumn(request.filter),
                             plan == Plan::sort ? " + 0" : "", request.rows)};
}

const database::Statement kFirstIdReceivedSince{.name = "first_id_received_since",
                                                .sql = firstIdReceivedSince("$1")};

// The hour allows for clock differences, and for ids that were assigned out of order.
constexpr auto kAheadWithSlack = domain::kMaximumAhead + 1h;

// Ids grow with received_at, and nothing is received more than kMaximumAhead before it occurs. So
// errors that occurred since `from` have ids from this one on. Without that bound the last page of
// a time range would scan everything older. Nothing in an empty table.
drogon::Task<std::optional<domain::ErrorId>> firstIdSince(database::Session& session,
                                                          domain::Instant from) {
  const database::Result result =
      co_await session.run(kFirstIdReceivedSince, from - kAheadWithSlack);
  co_return result.only<std::optional<domain::ErrorId>>();
}

struct SearchLimits {
  std::chrono::milliseconds stuckAfter;
  std::chrono::milliseconds walkBudget;
  database::Deadline deadline;
};

// Both plans use one connection: the time to get it does not count towards the walk.
drogon::Task<database::Result> search(database::Client& client, const PageRequest& request,
                                      SearchLimits limits) {
  database::Session session = co_await client.reserve(limits.deadline);
  std::optional<domain::ErrorId> firstId;
  if (request.filter.from) {
    firstId = co_await firstIdSince(session, *request.filter.from);
  }
  const Conditions conditions = conditionsOf(request, firstId, limits.stuckAfter);
  const auto walkUntil = std::min(limits.deadline, Clock::now() + limits.walkBudget);
  session.setDeadline(walkUntil);
  try {
    co_return co_await session.run(pageStatement(request, conditions, Plan::walk),
                                   conditions.parameters());
  } catch (const database::Error& error) {
    if (walkUntil == limits.deadline || !gaveUpRunning(error) || Clock::now() < walkUntil) {
      throw;
    }
  }
  session.setDeadline(limits.deadline);
  co_return co_await session.run(pageStatement(request, conditions, Plan::sort),
                                 conditions.parameters());
}

const database::Statement kFindError{
    .name = "find_error",
    .sql = std::format("SELECT {} FROM auth_error WHERE id = $1", columnsOf(Extent::full))};

}  // namespace

drogon::Task<ErrorReader::Found> ErrorReader::find(domain::ErrorId id,
                                                   database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kReadingFailed, .searches = true},
      [&]() -> drogon::Task<Found> {
        const database::Result result = co_await clients_.lookups.run(kFindError, deadline, id);
        co_return result.first<StoredAuthError>();
      });
}

drogon::Task<ErrorReader::Page> ErrorReader::page(PageRequest request,
                                                  database::Deadline deadline) {
  const bool walksFar = mayWalkFar(request.filter);
  database::Client& client =
      walksFar || request.extent == Extent::full ? clients_.searches : clients_.lookups;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kReadingFailed, .searches = true},
      [&]() -> drogon::Task<Page> {
        if (walksFar) {
          const database::Result found = co_await search(
              client, request,
              {.stuckAfter = stuckAfter_, .walkBudget = walkBudget_, .deadline = deadline});
          co_return found.as<StoredAuthError>();
        }
        const Conditions conditions = conditionsOf(request, std::nullopt, stuckAfter_);
        const database::Result found = co_await client.run(
            pageStatement(request, conditions, Plan::walk), deadline, conditions.parameters());
        co_return found.as<StoredAuthError>();
      });
}

}  // namespace auth_errors::triage
