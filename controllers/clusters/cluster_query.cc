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
  ParameterReader reader(query);
  ClusterQuery result;
  clusters::ClusterFilter& filter = result.filter;
  std::optional<std::string_view> cursor;
  for (const auto& [name, value] : reader.parameters()) {
    if (name == "sort") {
      reader.take(result.sort, readName(name, value, clusters::kClusterSortNames));
    } else if (name == "state") {
      reader.take(filter.state, readName(name, value, domain::kClusterStateNames));
    } else if (name == "serviceName") {
      reader.take(filter.serviceName, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "environment") {
      reader.take(filter.environment, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "exceptionClass") {
      reader.take(filter.exceptionClass, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "muted") {
      reader.take(filter.muted, readName(name, value, kTruthNames));
    } else if (name == "q") {
      reader.take(filter.namePart, readText(name, value, kMaxTextCodePoints));
    } else if (name == "from") {
      reader.take(filter.from, readInstant(name, value));
    } else if (name == "to") {
      reader.take(filter.to, readInstant(name, value));
    } else if (name == kLimitParameter) {
      reader.takeLimit(result.limit, value);
    } else if (name == kCursorParameter) {
      cursor = value;
    } else {
      reader.refuseUnknown(name);
    }
  }
  reader.requireOrder(filter.from, filter.to);
  if (cursor) {
    result.after = positionOf(*cursor, result.sort);
    if (!result.after) {
      reader.refuse({.field = std::string(kCursorParameter),
                     .code = "invalid",
                     .message = "must be the nextCursor of an earlier response with this sort"});
    }
  }
  return reader.answer(std::move(result));
}

std::string clusterCursor(const clusters::ClusterItem& last, ClusterSort sort) {
  return encodeCursor(SortedPosition{
      .sort = std::to_underlying(sort), .value = clusters::sortValueOf(last, sort), .id = last.id});
}

}  // namespace auth_errors::controllers
