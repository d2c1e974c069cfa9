// Sends what Drogon and trantor log through our own log, as event "framework". Their messages may
// quote what a client sent, so they are cut short and pass the scrubber like any other value.
#pragma once

#include <string>
#include <string_view>

#include "platform/telemetry/log.h"

namespace auth_errors::app {

struct FrameworkLine {
  telemetry::LogLevel level = telemetry::LogLevel::error;
  std::string message;
  std::string source;  // file:line, if it was there
};

inline constexpr std::size_t kMaxFrameworkMessage = 300;

// Of "20260309 04:05:06.007000 UTC 4711 WARN  message - File.cc:12\n". A pure function.
FrameworkLine parseFrameworkLine(std::string_view line);

// Process-wide. Nothing passes until frameworkLogOn(): when it starts, Drogon tries to make 256
// upload folders, which is made to fail on purpose (server.cc), and would complain of each.
void routeFrameworkLog();
void frameworkLogOn();

}  // namespace auth_errors::app
