// How late an event loop runs what is due, as a histogram. A call that blocks the loop shows as one
// long delay.
#pragma once

#include "platform/telemetry/metric.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::workers {

// For as long as the loop runs, which the registry must outlive. Any thread.
void measureLag(trantor::EventLoop& loop, telemetry::Histogram lag);

}  // namespace auth_errors::workers
