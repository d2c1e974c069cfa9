#include "platform/database/answer.h"

#include "platform/telemetry/log.h"

namespace auth_errors::database {

domain::Outage outageOf(const Error& error, const Call& call, Effect effect) {
  const bool tooSlow = call.searches && ranOutOfTime(error, call.client, call.deadline);
  if (call.searches) {
    telemetry::log(telemetry::LogLevel::warn, call.event,
                   {{"reason", error.what()}, {"tooSlow", tooSlow}});
  } else {
    telemetry::log(telemetry::LogLevel::warn, call.event, {{"reason", error.what()}});
  }
  if (effect == Effect::possible && error.failure() == Failure::outcomeUnknown) {
    return domain::Outage::outcomeUnknown;
  }
  return tooSlow ? domain::Outage::tooSlow : domain::Outage::unavailable;
}

}  // namespace auth_errors::database
