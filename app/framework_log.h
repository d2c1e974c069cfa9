// Redirects the logs of Drogon and trantor to our own log, as event "framework". Their messages may
// quote client input, so they are truncated and scrubbed like any other value.
#pragma once

#include <string>
#include <string_view>

#include "platform/telemetry/log.h"

namespace auth_errors::app {

struct FrameworkLine {
  telemetry::LogLevel level = telemetry::LogLevel::error;
  std::string message;
  std::string source;  // file:line, if present
};

inline constexpr std::size_t kMaxFrameworkMessage = 300;

// Parses "20260309 04:05:06.007000 UTC 4711 WARN  message - File.cc:12\n". A pure function.
FrameworkLine parseFrameworkLine(std::string_view line);

// Process-wide. Suppresses everything until frameworkLogOn(): at startup, Drogon tries to create
// 256 upload folders, which is made to fail on purpose (server.cc), and would log an error for
// each.
void routeFrameworkLog();
void frameworkLogOn();

}  // namespace auth_errors::app
