#include "triage/errors/read_fault.h"

#include "platform/telemetry/log.h"

namespace auth_errors::triage {

ReadFault faultOf(const database::Error& error, const database::Client& client,
                  database::Deadline deadline) {
  const bool tooSlow = database::ranOutOfTime(error, client, deadline);
  telemetry::log(telemetry::LogLevel::warn, "reading.failed",
                 {{"reason", error.what()}, {"tooSlow", tooSlow}});
  return tooSlow ? ReadFault::tooSlow : ReadFault::unavailable;
}

}  // namespace auth_errors::triage
