// Metrics of the process as a whole. Usable from any thread.
#pragma once

#include "platform/telemetry/metric.h"

namespace auth_errors::telemetry {

class ProcessMetrics {
 public:
  ProcessMetrics(Registry& registry, CodeText version, CodeText drogon);

  // Samples values that change by themselves; called before the registry is rendered.
  void update();

 private:
  Registry& registry_;
  GaugeBy<CodeText, CodeText> buildInfo_{registry_, "auth_errors_build_info", "version", "drogon",
                                         "Always 1; the labels say what is running."};
  Gauge suppressedLogLines_{
      registry_, "auth_errors_log_lines_suppressed",
      "Log lines left out since the start because their event was too frequent."};
  Gauge startTime_{registry_, "process_start_time_seconds",
                   "Start of the process, in seconds since the epoch."};
  Gauge residentMemory_{registry_, "process_resident_memory_bytes", "Resident memory."};
  Gauge openDescriptors_{registry_, "process_open_fds", "Open file descriptors."};
};

}  // namespace auth_errors::telemetry
