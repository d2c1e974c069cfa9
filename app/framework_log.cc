#include "app/framework_log.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include <trantor/utils/Logger.h>

#include "domain/scrub/sanitiser.h"

namespace auth_errors::app {
namespace {

using telemetry::LogLevel;

std::atomic<bool>& passing() {
  static std::atomic<bool> instance = false;
  return instance;
}

std::string_view takeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<LogLevel> levelOf(std::string_view word) {
  if (word == "TRACE" || word == "DEBUG") {
    return LogLevel::debug;
  }
  if (word == "INFO") {
    return LogLevel::info;
  }
  if (word == "WARN") {
    return LogLevel::warn;
  }
  if (word == "ERROR" || word == "FATAL") {
    return LogLevel::error;
  }
  return std::nullopt;
}

// Scrubbed before truncation, because the log's own scrubber would not recognise half a secret.
std::string fitToLog(std::string_view text) {
  std::string plain(text);
  std::ranges::replace_if(
      plain, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return domain::sanitise(plain, kMaxFrameworkMessage, {}).text.value_or("");
}

}  // namespace

FrameworkLine parseFrameworkLine(std::string_view line) {
  while (line.ends_with('\n')) {
    line.remove_suffix(1);
  }
  FrameworkLine parsed;
  // Date, time, zone, thread; raw lines of the framework have none of these and are kept unchanged.
  std::string_view rest = line;
  for (int word = 0; word < 4; ++word) {
    takeWord(rest);
  }
  if (const auto level = levelOf(takeWord(rest))) {
    parsed.level = *level;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    line = rest;
  }
  if (const auto dash = line.rfind(" - "); dash != std::string_view::npos &&
                                           line.find(':', dash) != std::string_view::npos &&
                                           line.find(' ', dash + 3) == std::string_view::npos) {
    parsed.source = fitToLog(line.substr(dash + 3));
    line = line.substr(0, dash);
  }
  parsed.message = fitToLog(line);
  return parsed;
}

void routeFrameworkLog() {
  // Below the warning level the framework logs headers and paths unmodified.
  trantor::Logger::setLogLevel(trantor::Logger::kWarn);
  trantor::Logger::setOutputFunction(
      [](const char* text, std::uint64_t length) {
        if (!passing().load(std::memory_order_relaxed)) {
          return;
        }
        const FrameworkLine line = parseFrameworkLine({text, length});
        telemetry::log(line.level, "framework",
                       {{"message", line.message}, {"source", line.source}});
      },
      [] {});
}

void frameworkLogOn() { passing() = true; }

}  // namespace auth_errors::app
