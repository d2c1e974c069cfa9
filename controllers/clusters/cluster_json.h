// A cluster as JSON, as an item of a list or in full. Absent values are null; times are UTC with
// microseconds. Pure; usable from any thread.
#pragma once

#include <string>

#include "triage/clusters/cluster_reader.h"

namespace auth_errors::controllers {

// Each appends one object. A list item only names services and environments; a full cluster also
// counts their errors.
void appendJson(std::string& out, const clusters::ClusterItem& item);
void appendJson(std::string& out, const clusters::WholeCluster& cluster);

}  // namespace auth_errors::controllers
