#include "reading/read_fault.h"

#include <chrono>
#include <string_view>

#include "telemetry/log.h"

namespace auth_errors::reading {
namespace {

constexpr std::string_view kQueryCancelled = "57014";

}  // namespace

ReadFault faultOf(const database::Error& error, const database::Client& client,
                  database::Deadline deadline) {
  const bool waitedInVain = error.sqlState().empty() && client.connected() &&
                            std::chrono::steady_clock::now() >= deadline;
  const bool tooSlow = waitedInVain || error.sqlState() == kQueryCancelled;
  telemetry::log(telemetry::LogLevel::warn, "reading.failed",
                 {{"reason", error.what()}, {"tooSlow", tooSlow}});
  return tooSlow ? ReadFault::tooSlow : ReadFault::unavailable;
}

}  // namespace auth_errors::reading
