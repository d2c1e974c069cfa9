#include "platform/telemetry/fault_log.h"

#include <utility>

namespace auth_errors::telemetry {

FaultLog::FaultLog(std::string event, LogLevel level) : event_(std::move(event)), level_(level) {}

void FaultLog::failed(std::string_view error) {
  if (error_ == error) {
    return;
  }
  error_ = error;
  log(level_, event_, {{"error", error}});
}

void FaultLog::succeeded() {
  if (std::exchange(error_, std::nullopt)) {
    log(LogLevel::info, "fault.ended", {{"fault", event_}});
  }
}

}  // namespace auth_errors::telemetry
