// Structured logs: one JSON object per line, or a readable line on a terminal. Any thread may call;
// a line is written as a whole, with one write(2). Callers only pass scrubbed or constant values;
// the scrubber set here is a second line of defence for every string value.
//
// Lines go to stdout, where a serving process prints nothing else, so the environment decides where
// they are kept; stderr remains free for messages of the runtime when the process dies.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"

namespace auth_errors::telemetry {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogFormat : std::uint8_t { json, text };

std::string_view toText(LogLevel level);
std::optional<LogLevel> parseLogLevel(std::string_view text);

struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, double, bool>;

  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, const std::string& text)
      : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag) {}
  LogField(std::string_view name, std::floating_point auto number)
      : key(name), value(static_cast<double>(number)) {}
  LogField(std::string_view name, std::integral auto number)
    requires(!std::same_as<decltype(number), bool>)
      : key(name), value(static_cast<std::int64_t>(number)) {}

  template <typename Tag>
  LogField(std::string_view name, domain::Id<Tag> id) : LogField(name, id.value()) {}
  template <typename Tag>
  LogField(std::string_view name, const domain::Name<Tag>& text) : LogField(name, text.text()) {}

  std::string_view key;
  Value value;
};

inline constexpr std::size_t kMaxLogLineBytes = std::size_t{16} * 1024;
inline constexpr std::size_t kMaxLogValueBytes = std::size_t{4} * 1024;
// Above debug level, each event may write this many lines per second; the next line that passes has
// the number of suppressed ones. A flood of bad requests or an outage then cannot fill a disk.
inline constexpr std::uint32_t kMaxLogLinesPerSecond = 50;

using LogScrubber = std::string (*)(std::string_view);

// REQUIRES: no other thread has logged yet. `fileDescriptor` is for tests.
void configureLog(LogLevel threshold, LogFormat format, int fileDescriptor = 1);
void setLogScrubber(LogScrubber scrubber);
bool logEnabled(LogLevel level);

// `event` is a stable dotted name such as "database.connected"; variable parts go into fields.
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// Lines suppressed so far because their event was too frequent.
std::uint64_t suppressedLogLines();

// The line that log() would write, newline included. Pure, except for the scrubber.
std::string renderLogLine(LogFormat format, std::chrono::system_clock::time_point time,
                          LogLevel level, std::string_view event, std::span<const LogField> fields,
                          std::uint64_t suppressed = 0);

}  // namespace auth_errors::telemetry
