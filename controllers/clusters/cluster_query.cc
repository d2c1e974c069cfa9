#include "controllers/clusters/cluster_query.h"

#include <chrono>
#include <optional>
#include <utility>

#include "controllers/http/page_cursor.h"
#include "controllers/http/query_string.h"
#include "domain/clusters/cluster.h"
#include "domain/errors/submission.h"

namespace auth_errors::controllers {
namespace {

using clusters::ClusterPosition;
using clusters::ClusterSort;

// A forged cursor must not contain a time that the database cannot represent.
bool canBe(ClusterSort sort, std::int64_t value) {
  if (sort == ClusterSort::count) {
    return value >= 0;
  }
  using namespace std::chrono;
  constexpr domain::Instant kFirst = sys_days{year{1} / 1 / 1};
  constexpr domain::Instant kEnd = sys_days{year{10'000} / 1 / 1};
  const domain::Instant time{microseconds(value)};
  return time >= kFirst && time < kEnd;
}

std::optional<ClusterPosition> positionOf(std::string_view cursor, ClusterSort sort) {
  const auto last = decodeSortedCursor(cursor);
  if (!last || last->sort != std::to_underlying(sort) || !canBe(sort, last->value)) {
    return std::nullopt;
  }
  return ClusterPosition{.value = last->value, .id = last->id};
}

}  // namespace

std::expected<ClusterQuery, std::vector<FieldError>> clusterQueryFromAddress(
    std::string_view query) {
  auto [fields, problems] = parseQueryString(query);
  ClusterQuery result;
  const auto take = [&problems](auto& target, auto read) {
    if (read) {
      target = *std::move(read);
    } else {
      problems.push_back(std::move(read.error()));
    }
  };
  clusters::ClusterFilter& filter = result.filter;
  std::optional<std::string_view> cursor;
  for (const auto& [name, value] : fields) {
    if (name == "sort") {
      take(result.sort, readName(name, value, clusters::kClusterSortNames));
    } else if (name == "state") {
      take(filter.state, readName(name, value, domain::kClusterStateNames));
    } else if (name == "serviceName") {
      take(filter.serviceName, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "environment") {
      take(filter.environment, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "exceptionClass") {
      take(filter.exceptionClass, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "muted") {
      take(filter.muted, readName(name, value, kTruthNames));
    } else if (name == "q") {
      take(filter.namePart, readText(name, value, kMaxTextCodePoints));
    } else if (name == "from") {
      take(filter.from, readInstant(name, value));
    } else if (name == "to") {
      take(filter.to, readInstant(name, value));
    } else if (name == kLimitParameter) {
      take(result.limit,
           readInteger(name, value, 1, kMaxPageRows).transform([](std::int64_t limit) {
             return static_cast<std::size_t>(limit);
           }));
    } else if (name == kCursorParameter) {
      cursor = value;
    } else {
      problems.push_back({.field = name, .code = "unknown", .message = "is not a known parameter"});
    }
  }
  if (filter.from && filter.to && *filter.from >= *filter.to) {
    problems.push_back(
        {.field = "to", .code = "out_of_range", .message = "must be later than from"});
  }
  if (cursor) {
    result.after = positionOf(*cursor, result.sort);
    if (!result.after) {
      problems.push_back(
          {.field = std::string(kCursorParameter),
           .code = "invalid",
           .message = "must be the nextCursor of an earlier response with this sort"});
    }
  }
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return result;
}

std::string clusterCursor(const clusters::ClusterItem& last, ClusterSort sort) {
  return encodeCursor(SortedPosition{
      .sort = std::to_underlying(sort), .value = clusters::sortValueOf(last, sort), .id = last.id});
}

}  // namespace auth_errors::controllers
