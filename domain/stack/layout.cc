#include "domain/stack/layout.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

struct Entity {
  std::string_view name;
  char sign;
};
constexpr auto kEntities = std::to_array<Entity>({
    {"&lt;", '<'},
    {"&gt;", '>'},
    {"&quot;", '"'},
    {"&#34;", '"'},
    {"&#39;", '\''},
    {"&#039;", '\''},
    {"&#x27;", '\''},
    {"&amp;", '&'},
});

const Entity* entityAt(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      kEntities, [text](const Entity& entity) { return text.starts_with(entity.name); });
  return found == kEntities.end() ? nullptr : found;
}

std::size_t findEntity(std::string_view text, std::size_t at) {
  at = text.find('&', at);
  while (at != std::string_view::npos && entityAt(text.substr(at)) == nullptr) {
    at = text.find('&', at + 1);
  }
  return at;
}

// Empty if there are no entities.
std::string withoutEntities(std::string_view text) {
  std::string out;
  std::size_t read = 0;
  for (std::size_t at = findEntity(text, 0); at != std::string_view::npos;
       at = findEntity(text, read)) {
    const Entity* const entity = entityAt(text.substr(at));
    out.append(text, read, at - read);
    out += entity->sign;
    read = at + entity->name.size();
  }
  if (read > 0) {
    out.append(text, read);
  }
  return out;
}

// A Windows folder may begin with an n, so an escaped newline is recognised by its context: a quote
// before it, or an indented line, a path or a number sign after it. If a backslash precedes it, the
// backslash is escaped instead.
bool hasEscapedNewline(std::string_view text) {
  constexpr std::string_view kNewline = "\\n";
  for (std::size_t at = text.find(kNewline); at != std::string_view::npos;
       at = text.find(kNewline, at + 1)) {
    const std::string_view behind = text.substr(at + kNewline.size());
    const char front = at == 0 ? '\0' : text[at - 1];
    const bool inName = !behind.empty() && (isAlnum(behind.front()) || behind.front() == '_');
    if (front != '\\' && (!inName || isOf(front, kQuoteChar))) {
      return true;
    }
  }
  return false;
}

// The character for "003c" after "\u": those that some JSON writers escape are all ASCII.
char asciiOf(std::string_view digits) {
  constexpr std::size_t kDigits = 4;
  if (digits.size() < kDigits || !digits.starts_with("00") ||
      !isAllHex(digits.substr(0, kDigits))) {
    return '\0';
  }
  const auto valueOf = [](char c) { return isDigit(c) ? c - '0' : toLower(c) - 'a' + 10; };
  const int value = (16 * valueOf(digits[2])) + valueOf(digits[3]);
  return value >= ' ' && value <= '~' ? static_cast<char>(value) : '\0';
}

std::string withoutEscapes(std::string_view text) {
  constexpr std::size_t kUnicode = 6;  // "\u003c"
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] != '\\') {
      out += text[at];
    } else if (next == 'n' || next == 't') {
      out += next == 'n' ? '\n' : '\t';
      ++at;
    } else if (next == '"' || next == '\\' || next == '/') {
      out += next;
      ++at;
    } else if (next == 'r') {
      ++at;
    } else if (const char sign = next == 'u' ? asciiOf(text.substr(at + 2)) : '\0'; sign != '\0') {
      out += sign;
      at += kUnicode - 1;
    } else {
      out += '\\';
    }
  }
  return out;
}

// "/app/login.js:4:2"; "at 10.0.0.7:5432" is part of a message.
bool isPlaceInScript(std::string_view text) {
  const std::string_view file = withoutPosition(text);
  return std::ranges::count(text.substr(file.size()), ':') == 2 &&
         file.find_first_of("./\\") != std::string_view::npos;
}

// "at com.acme.Login.check(", "at async login (/app/login.js:4:2)", "at /app/login.js:4:2"
bool beginsAtFrame(std::string_view text) {
  if (!consume(text, "at ")) {
    return false;
  }
  consume(text, "async ");
  consume(text, "new ");
  const std::size_t end = std::min(text.find_first_of(" ("), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with('(')) {
    return word.contains('.');
  }
  if (!consume(text, " (")) {
    return isPlaceInScript(word);
  }
  const std::string_view place = text.substr(0, text.find_first_of("()"));
  return isPlaceInScript(place) || place == "<anonymous>" || place.starts_with("index ");
}

// Length of `File "/app/login.py", line 42, in check`, which is followed by its source; or 0.
std::size_t pythonFrameLength(std::string_view text) {
  std::string_view rest = text;
  if (!consume(rest, "File \"")) {
    return 0;
  }
  rest.remove_prefix(std::min(rest.find('"'), rest.size()));
  if (!consume(rest, "\", line ")) {
    return 0;
  }
  rest.remove_prefix(runEnd(rest, 0, kDigitChar));
  if (!consume(rest, ", in ")) {
    return 0;
  }
  return text.size() - rest.size() + before(rest, " ").size();
}

// PHP and gdb: "#12 "
bool beginsNumberedFrame(std::string_view text) {
  const std::size_t end = consume(text, "#") ? runEnd(text, 0, kDigitChar) : 0;
  return end > 0 && text.substr(end).starts_with(' ');
}

bool beginsLine(std::string_view text) {
  return beginsAtFrame(text) || beginsNumberedFrame(text) || text.starts_with("Caused by: ") ||
         text.starts_with("--- End of inner exception");
}

}  // namespace

std::string unescapedTrace(std::string_view trace) {
  std::string plain = withoutEntities(trace);
  const std::string_view text = plain.empty() ? trace : plain;
  if (!text.contains('\n') && hasEscapedNewline(text)) {
    return withoutEscapes(text);
  }
  return plain;
}

std::string brokenIntoLines(std::string_view trace) {
  std::string out;
  out.reserve(trace.size() + (trace.size() / 8));
  while (!trace.empty()) {
    const std::size_t blank = std::min(trace.find_first_of(" \t"), trace.size());
    out.append(trace, 0, blank);
    trace.remove_prefix(blank);
    if (trace.empty()) {
      break;
    }
    const char sign = trace.front();
    trace.remove_prefix(1);
    if (const std::size_t length = pythonFrameLength(trace); length > 0) {
      out.append("\n  ").append(trace, 0, length).append("\n   ");
      trace.remove_prefix(length);
    } else {
      out += beginsLine(trace) ? '\n' : sign;
    }
  }
  return out;
}

}  // namespace auth_errors::domain
