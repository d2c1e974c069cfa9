#include "platform/telemetry/log.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <format>
#include <mutex>
#include <utility>

#include <unistd.h>

#include "domain/values/utf8.h"
#include "platform/telemetry/repeat_limiter.h"

namespace auth_errors::telemetry {
namespace {

struct LevelName {
  LogLevel level;
  std::string_view text;
};

constexpr std::array kLevelNames = {
    LevelName{.level = LogLevel::debug, .text = "debug"},
    LevelName{.level = LogLevel::info, .text = "info"},
    LevelName{.level = LogLevel::warn, .text = "warn"},
    LevelName{.level = LogLevel::error, .text = "error"},
};

struct LogState {
  std::atomic<LogLevel> threshold = LogLevel::info;
  std::atomic<LogFormat> format = LogFormat::json;
  std::atomic<int> fileDescriptor = STDOUT_FILENO;
  std::atomic<LogScrubber> scrubber = nullptr;
  std::atomic<std::uint64_t> suppressed = 0;

  std::mutex limiterMutex;
  RepeatLimiter limiter{kMaxLogLinesPerSecond};
  // The kernel may interleave lines longer than PIPE_BUF when threads write at the same time.
  std::mutex writeMutex;
};

LogState& state() {
  static LogState instance;
  return instance;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// Escapes for JSON and for a terminal alike: no control character passes, C1 ones included.
void appendEscaped(std::string& out, std::string_view text) {
  const std::size_t limit = out.size() + kMaxLogValueBytes;
  std::size_t at = 0;
  while (at < text.size()) {
    if (out.size() >= limit) {
      out += kEllipsis;
      return;
    }
    const std::size_t length = domain::utf8SequenceLength(text, at);
    const auto lead = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      out += kReplacement;
      ++at;
      continue;
    }
    if (lead == '"' || lead == '\\') {
      out += '\\';
      out += text[at];
    } else if (lead == '\n') {
      out += "\\n";
    } else if (lead == '\t') {
      out += "\\t";
    } else if (lead < 0x20 || lead == 0x7F) {
      std::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(lead));
    } else if (lead == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0) {
      std::format_to(std::back_inserter(out), "\\u{:04x}",
                     static_cast<unsigned>(static_cast<unsigned char>(text[at + 1])));
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
}

bool needsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(" =\"\\\n\t") != std::string_view::npos;
}

void appendText(std::string& out, std::string_view text, bool quoted) {
  if (quoted) {
    out += '"';
  }
  // Limits the scrubber's input, so that one huge value cannot stall an I/O loop.
  text = text.substr(0, kMaxLogLineBytes);
  if (const LogScrubber scrubber = state().scrubber.load(); scrubber != nullptr) {
    appendEscaped(out, scrubber(text));
  } else {
    appendEscaped(out, text);
  }
  if (quoted) {
    out += '"';
  }
}

void appendNumber(std::string& out, auto number) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.begin(), buffer.end(), number);
  out.append(buffer.data(), result.ptr);
}

void appendValue(std::string& out, const LogField::Value& value, LogFormat format) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    appendText(out, *text, format == LogFormat::json || needsQuotes(*text));
  } else if (const auto* number = std::get_if<double>(&value)) {
    if (std::isfinite(*number)) {
      appendNumber(out, *number);
    } else {
      out += "null";
    }
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else {
    appendNumber(out, std::get<std::int64_t>(value));
  }
}

void appendField(std::string& out, const LogField& field, LogFormat format) {
  if (format == LogFormat::json) {
    out += ",\"";
    appendEscaped(out, field.key);
    out += "\":";
  } else {
    out += ' ';
    appendEscaped(out, field.key);
    out += '=';
  }
  appendValue(out, field.value, format);
}

void writeLine(std::string_view line) {
  LogState& log = state();
  const std::scoped_lock lock(log.writeMutex);
  while (!line.empty()) {
    const ssize_t written = ::write(log.fileDescriptor.load(), line.data(), line.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      // There is nowhere left to report to; the service itself must go on.
      return;
    }
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string_view toText(LogLevel level) { return kLevelNames.at(std::to_underlying(level)).text; }

std::optional<LogLevel> parseLogLevel(std::string_view text) {
  for (const LevelName& name : kLevelNames) {
    if (name.text == text) {
      return name.level;
    }
  }
  return std::nullopt;
}

void configureLog(LogLevel threshold, LogFormat format, int fileDescriptor) {
  LogState& log = state();
  log.threshold = threshold;
  log.format = format;
  log.fileDescriptor = fileDescriptor;
}

void setLogScrubber(LogScrubber scrubber) { state().scrubber = scrubber; }

bool logEnabled(LogLevel level) {
  return level >= state().threshold.load(std::memory_order_relaxed);
}

std::uint64_t suppressedLogLines() { return state().suppressed.load(std::memory_order_relaxed); }

std::string renderLogLine(LogFormat format, std::chrono::system_clock::time_point time,
                          LogLevel level, std::string_view event, std::span<const LogField> fields,
                          std::uint64_t suppressed) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time);
  std::string line;
  line.reserve(256);
  if (format == LogFormat::json) {
    std::format_to(std::back_inserter(line), R"({{"ts":"{:%FT%T}Z","level":"{}","event":")",
                   milliseconds, toText(level));
    appendEscaped(line, event);
    line += '"';
  } else {
    std::format_to(std::back_inserter(line), "{:%FT%T}Z {:<5} ", milliseconds, toText(level));
    appendEscaped(line, event);
  }

  // Reserve for the end of a line: the notes below and the newline.
  constexpr std::size_t kReserved = 96;
  bool truncated = false;
  for (const LogField& field : fields) {
    const std::size_t before = line.size();
    appendField(line, field, format);
    if (line.size() > kMaxLogLineBytes - kReserved) {
      line.resize(before);
      truncated = true;
    }
  }
  if (truncated) {
    appendField(line, {"truncated", true}, format);
  }
  if (suppressed > 0) {
    appendField(line, {"suppressed", suppressed}, format);
  }
  line += format == LogFormat::json ? "}\n" : "\n";
  return line;
}

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!logEnabled(level)) {
    return;
  }
  LogState& log = state();
  std::uint64_t heldBack = 0;
  if (level > LogLevel::debug) {
    const std::scoped_lock lock(log.limiterMutex);
    const auto admitted = log.limiter.admit(event, RepeatLimiter::Clock::now());
    if (!admitted) {
      log.suppressed.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    heldBack = *admitted;
  }
  writeLine(renderLogLine(log.format, std::chrono::system_clock::now(), level, event,
                          std::span(fields.begin(), fields.size()), heldBack));
}

}  // namespace auth_errors::telemetry
