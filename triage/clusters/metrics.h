// The metrics of the upkeep of clusters. Usable from any thread.
#pragma once

#include "platform/telemetry/metric.h"

namespace auth_errors::clusters {

struct Metrics {
  telemetry::Registry& registry;

  telemetry::Counter deltas{
      registry, "auth_errors_cluster_deltas_total",
      "Memberships made or ended that were added to their clusters' numbers."};
  telemetry::Counter reanalysedErrors{
      registry, "auth_errors_reanalysed_errors_total",
      "Errors of an older version of the stack hash brought up to date."};
};

}  // namespace auth_errors::clusters
