// Frames that begin with "at", from the JVM, .NET and V8, and frames of the other browsers.
#include <algorithm>
#include <array>

#include "domain/stack/frames.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// The module or loader: "java.base/", "app//", "spring@6.2/". In a hidden class, a digit follows
// the slash, which is then part of the name.
std::string_view withoutModule(std::string_view function) {
  for (std::size_t at = function.size(); at > 1; --at) {
    if (function[at - 2] == '/' && !isDigit(function[at - 1])) {
      return function.substr(at - 1);
    }
  }
  return function;
}

// Classes that runtimes generate for lambdas. Which of them a trace shows depends on the version.
bool isLambdaBridge(std::string_view function) {
  return function.contains('$') &&
         (function.contains("$$Lambda") || function.contains("$$ExternalSyntheticLambda") ||
          function.contains("$r8$lambda$"));
}

bool isPlaceOfNothing(std::string_view place) {
  return place.empty() || place == "<anonymous>" || place == "native" || place == "native code" ||
         place == "[native code]" || place == "Unknown Source" || place.starts_with("index ") ||
         place.starts_with("Coroutine boundary");
}

// The innermost position of "eval at compile (/app/template.js:3:4), <anonymous>:1:1".
std::string_view evaluatedAt(std::string_view place) {
  const std::size_t open = place.rfind('(');
  if (open == std::string_view::npos) {
    return {};
  }
  return before(place.substr(open + 1), ")");
}

std::string_view scriptPlace(std::string_view place) {
  if (place.starts_with("eval at ")) {
    place = evaluatedAt(place);
  }
  consume(place, "address at ");             // Hermes
  place = before(place, ":wasm-function[");  // followed by an index and an offset
  place = withoutPosition(place);
  return isPlaceOfNothing(place) ? std::string_view{} : place;
}

// Removes V8's description of the call before the function's own name.
std::string_view withoutCallKind(std::string_view function) {
  constexpr std::array<std::string_view, 5> kKinds = {"async ", "new ", "get ", "set ", "static "};
  constexpr std::array<std::string_view, 6> kReceivers = {"Object.",  "Module.", "Function.",
                                                          "exports.", "module.", "globalThis."};
  while (
      std::ranges::any_of(kKinds, [&](std::string_view kind) { return consume(function, kind); }) ||
      std::ranges::any_of(kReceivers,
                          [&](std::string_view name) { return consume(function, name); })) {
  }
  function = before(function, " [as ");
  if (function.ends_with("<anonymous>")) {
    function.remove_suffix(std::string_view("<anonymous>").size());
  }
  // Bundlers number the functions that contain a module's code.
  if (isAllDigits(function)) {
    return {};
  }
  return function.ends_with('.') ? function.substr(0, function.size() - 1) : function;
}

RawFrame scriptFrame(std::string_view function, std::string_view place) {
  return {.function = withoutCallKind(function), .file = scriptPlace(place)};
}

std::optional<RawFrame> parseUnbracketed(std::string_view rest) {
  consume(rest, "async ");
  const std::string_view place = withoutPosition(rest);
  const bool positioned = place.size() < rest.size() && place.find_first_of("./\\") < place.size();
  if (positioned || rest.contains("://")) {
    return RawFrame{.function = {}, .file = scriptPlace(rest)};
  }
  if (rest.empty() || rest.contains(' ')) {
    return std::nullopt;
  }
  return RawFrame{.function = before(rest, "+0x"), .file = {}};
}

}  // namespace

std::optional<RawFrame> parseAtFrame(std::string_view line) {
  if (!consume(line, "at ")) {
    return std::nullopt;
  }
  line = withoutIndent(line);
  if (const std::size_t number = runEnd(line, 0, kDigitChar);
      number > 0 && number < line.size() && isBlank(line[number])) {
    return parseCrashReportFrame(line);
  }
  const std::size_t bracket = line.find('(');
  if (bracket == std::string_view::npos) {
    return parseUnbracketed(line);
  }
  const bool isManaged = bracket > 0 && line[bracket - 1] != ' ';
  const std::size_t end = line.rfind(')');
  if (isManaged || line.contains(") [0x")) {
    const std::string_view function = trimmedLine(line.substr(0, bracket));
    if (function.contains(' ') && !function.contains('.')) {
      return std::nullopt;
    }
    return RawFrame{
        .function = withoutModule(function), .file = {}, .isBridge = isLambdaBridge(function)};
  }
  if (end == std::string_view::npos || end < bracket) {
    return std::nullopt;
  }
  const RawFrame frame = scriptFrame(trimmedLine(line.substr(0, bracket)),
                                     line.substr(bracket + 1, end - bracket - 1));
  const bool isProse = frame.function.contains(' ') || frame.function.starts_with('[');
  return isProse ? std::nullopt : std::optional(frame);
}

std::optional<RawFrame> parseTranslatedFrame(std::string_view line) {
  constexpr auto kWords = std::to_array<std::string_view>({
      "bei ",
      "\xC3\xA0 ",
      "en ",
      "in ",
      "em ",
      "w ",
      "v ",
      "\xD0\xB2 ",
      "\xE5\xA0\xB4\xE6\x89\x80 ",
      "\xE5\x9C\xA8 ",
      "\xE6\x96\xBC ",
      "\xEC\x9C\x84\xEC\xB9\x98: ",
      "konum: ",
  });
  if (!line.contains('(') || std::ranges::none_of(kWords, [&line](std::string_view word) {
        return consume(line, word);
      })) {
    return std::nullopt;
  }
  const std::string_view function = before(line, "(");
  const std::size_t end = line.rfind(')');
  if (!function.contains('.') || function.contains(' ') || end == std::string_view::npos) {
    return std::nullopt;
  }
  // These also occur as words in messages, but without a file after them.
  const std::string_view place = line.substr(end + 1);
  const bool placed = place.contains(':') && place.find_first_of("/\\") != std::string_view::npos;
  return place.empty() || placed ? std::optional(RawFrame{.function = function, .file = {}})
                                 : std::nullopt;
}

std::optional<RawFrame> parseUnityFrame(std::string_view line) {
  const std::string_view function = trimmedLine(before(line, "("));
  const bool named =
      function.find_first_of(".:") != std::string_view::npos && !function.contains(' ');
  const std::size_t place = line.rfind(" (at ");
  if (!named || place == std::string_view::npos || !line.ends_with(')') || line.find(')') > place) {
    return std::nullopt;
  }
  return RawFrame{.function = function, .file = {}};
}

std::optional<RawFrame> parseWebFrame(std::string_view line) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view place = line.substr(at + 1);
  const bool positioned = withoutPosition(place).size() < place.size() && place.contains('/');
  if (!positioned && place != "[native code]") {
    return std::nullopt;
  }
  std::string_view function = line.substr(0, at);
  // "async*login", "setTimeout handler*login": the caller; "login/<": a function inside it.
  function.remove_prefix(std::min(function.rfind('*') + 1, function.size()));
  function = before(function, "/");
  if (function.ends_with(" code")) {
    function = {};
  } else if (function.contains(' ')) {
    return std::nullopt;
  }
  return scriptFrame(function.ends_with('<') ? function.substr(0, function.size() - 1) : function,
                     place);
}

}  // namespace auth_errors::domain
