// A cluster as JSON, as an item of a list or with all that is known of it. What is absent is null;
// times are UTC with microseconds. Pure; any thread.
#pragma once

#include <string>

#include "triage/clusters/cluster_reader.h"

namespace auth_errors::controllers {

// Each appends one object. An item names its services and environments, a whole cluster counts
// their errors.
void appendJson(std::string& out, const clusters::ClusterItem& item);
void appendJson(std::string& out, const clusters::WholeCluster& cluster);

}  // namespace auth_errors::controllers
