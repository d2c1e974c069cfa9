// Structured logs: one JSON object a line, or a readable line on a terminal. Any thread may call;
// a line is written whole. Callers pass only scrubbed or self-made values.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace auth_errors::telemetry {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogFormat : std::uint8_t { json, text };

struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, double, bool>;

  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag) {}
  LogField(std::string_view name, std::floating_point auto number)
      : key(name), value(static_cast<double>(number)) {}
  LogField(std::string_view name, std::integral auto number)
    requires(!std::same_as<decltype(number), bool>)
      : key(name), value(static_cast<std::int64_t>(number)) {}

  std::string_view key;
  Value value;
};

void configureLog(LogLevel threshold, LogFormat format);
bool logEnabled(LogLevel level);

// `event` is a stable dotted name such as "database.connected"; variable parts go into fields.
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

}  // namespace auth_errors::telemetry
