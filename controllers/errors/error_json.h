// A stored error as JSON, in full or as an item of a list. Absent values are null; times are UTC
// with microseconds. Pure; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "triage/clusters/cluster_reader.h"
#include "triage/errors/error_reader.h"
#include "triage/errors/journey_reader.h"

namespace auth_errors::controllers {

// Each appends one object.
void appendJson(std::string& out, const triage::StoredAuthError& error, triage::Extent extent);
inline void appendSummary(std::string& out, const triage::StoredAuthError& error) {
  appendJson(out, error, triage::Extent::summary);
}
// In full, with its journey and its clusters; fields that do not apply to a step are omitted.
void appendJson(std::string& out, const triage::StoredAuthError& error,
                const triage::Journey& journey, const std::vector<clusters::ClusterName>& clusters);

}  // namespace auth_errors::controllers
