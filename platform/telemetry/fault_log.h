// Logs a persistent fault when it begins, when its reason changes and when it ends, instead of each
// time that it occurs. Belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/telemetry/log.h"

namespace auth_errors::telemetry {

class FaultLog {
 public:
  explicit FaultLog(std::string event, LogLevel level = LogLevel::warn);

  void failed(std::string_view error);
  void succeeded();
  [[nodiscard]] bool failing() const { return error_.has_value(); }

 private:
  std::string event_;
  LogLevel level_;
  std::optional<std::string> error_;  // logged last
};

}  // namespace auth_errors::telemetry
