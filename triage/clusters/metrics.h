// The metrics of the upkeep of clusters. Usable from any thread.
#pragma once

#include "platform/telemetry/metric.h"

namespace auth_errors::clusters {

struct Metrics {
  telemetry::Registry& registry;

  telemetry::Counter deltas{registry, "auth_errors_cluster_deltas_total",
                            "Changes of membership added to the counts of their clusters."};
  telemetry::Counter reanalysedErrors{registry, "auth_errors_reanalysed_errors_total",
                                      "Errors updated from an older version of the stack hash."};
};

}  // namespace auth_errors::clusters
