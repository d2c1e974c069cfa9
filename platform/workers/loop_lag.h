// Measures the delay of due timers on an event loop, as a histogram. A call that blocks the loop
// shows as one long delay.
#pragma once

#include <prometheus/histogram.h>

namespace trantor {
class EventLoop;
}

namespace auth_errors::workers {

// Runs as long as the loop. REQUIRES: the histogram outlives the loop. Callable from any thread.
void measureLag(trantor::EventLoop& loop, prometheus::Histogram& lag);

}  // namespace auth_errors::workers
