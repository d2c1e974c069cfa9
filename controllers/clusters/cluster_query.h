// Parses the query string of the list of clusters. Reports all problems at once. Pure; usable from
// any thread.
//
// Parameters: sort (lastSeen, firstSeen or count); state, serviceName, environment, exceptionClass
// (exact); muted (true or false); q, a case-insensitive substring of the title or the exception
// class; from (inclusive) and to (exclusive), between which a cluster had errors; limit and cursor,
// which must be one of the same sort.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/page_query.h"
#include "controllers/http/problem.h"
#include "triage/clusters/cluster_reader.h"

namespace auth_errors::controllers {

struct ClusterQuery {
  clusters::ClusterFilter filter;
  clusters::ClusterSort sort = clusters::ClusterSort::lastSeen;
  std::optional<clusters::ClusterPosition> after;
  std::size_t limit = kDefaultPageRows;
};

std::expected<ClusterQuery, std::vector<FieldError>> clusterQueryFromAddress(
    std::string_view query);

// The cursor of the page that ends with this item.
std::string clusterCursor(const clusters::ClusterItem& last, clusters::ClusterSort sort);

}  // namespace auth_errors::controllers
