// Measures the delay of due timers on an event loop, as a histogram. A call that blocks the loop
// shows as one long delay.
#pragma once

#include "platform/telemetry/metric.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::workers {

// Runs as long as the loop. REQUIRES: the registry outlives the loop. Callable from any thread.
void measureLag(trantor::EventLoop& loop, telemetry::Histogram lag);

}  // namespace auth_errors::workers
