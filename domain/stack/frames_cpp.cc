// C++ frames as printed by debuggers, sanitizers, C libraries and crash reporters.
#include <algorithm>
#include <array>

#include "domain/stack/frames.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// A C++ signature without return type, qualifiers and suffixes of the optimiser and the linker.
std::string_view functionOf(std::string_view signature) {
  for (const std::string_view appended :
       {" [", " (.", ".isra.", ".part.", ".constprop.", ".cold", ".llvm.", "@"}) {
    signature = before(signature, appended);
  }
  constexpr std::array<std::string_view, 5> kFunctionQualifiers = {" const", " noexcept",
                                                                   " volatile", " &", " &&"};
  while (std::ranges::any_of(kFunctionQualifiers, [&signature](std::string_view qualifier) {
    const bool there = signature.ends_with(qualifier);
    signature.remove_suffix(there ? qualifier.size() : 0);
    return there;
  })) {
  }
  std::size_t begin = 0;
  forEachOuterBlank(signature, [&](std::size_t blank) {
    if (signature.substr(0, blank).ends_with("operator")) {
      return false;
    }
    begin = blank + 1;
    return true;
  });
  return signature.substr(begin);
}

std::string_view moduleOf(std::string_view module) {
  if (module.starts_with('(') && module.ends_with(')')) {
    module = module.substr(1, module.size() - 2);
  }
  return before(module, "+0x");
}

// "(/lib/libssl.so.3+0x270b2)"
bool isModule(std::string_view group) {
  return group.starts_with("(/") || (group.ends_with(')') && group.contains("+0x"));
}

RawFrame nativeFrame(std::string_view signature, std::string_view module) {
  const std::string_view function = functionOf(signature);
  if (function.empty() || function == "??") {
    // Systems install the same library in different folders.
    return {.function = {}, .file = module.substr(module.rfind('/') + 1)};
  }
  return {.function = function, .file = {}};
}

// gdb prints a blank before the parameters and "at" or "from" after them.
std::optional<RawFrame> parseGdbFrame(std::string_view rest) {
  std::size_t parameters = std::string_view::npos;
  forEachOuterBlank(rest, [&](std::size_t blank) {
    const std::string_view following = rest.substr(blank);
    const bool found =
        following.starts_with(" (") && !following.starts_with(" (anonymous namespace)");
    parameters = found ? blank : parameters;
    return !found;
  });
  if (parameters == std::string_view::npos ||
      before(rest.substr(parameters), ")").contains("+0x")) {
    return std::nullopt;
  }
  const std::size_t at = rest.rfind(") at ");
  const std::size_t from = rest.rfind(") from ");
  if (std::min(at, from) == std::string_view::npos && !rest.ends_with(')')) {
    return std::nullopt;
  }
  const std::string_view signature = rest.substr(0, parameters);
  if (signature == "operator()" && at != std::string_view::npos) {
    // Old versions do not name a lambda further.
    return RawFrame{.function = "operator", .file = withoutPosition(rest.substr(at + 5))};
  }
  return nativeFrame(signature,
                     from == std::string_view::npos ? std::string_view{} : rest.substr(from + 7));
}

// Sanitizers print the position, the module in brackets or both after the signature.
RawFrame parseSanitizerFrame(std::string_view rest) {
  if (rest.starts_with('(') && !rest.starts_with("(anonymous namespace)")) {
    return nativeFrame({}, moduleOf(rest));
  }
  std::string_view module;
  if (const std::size_t bracket = rest.rfind(" (");
      bracket != std::string_view::npos && isModule(rest.substr(bracket + 1))) {
    module = moduleOf(rest.substr(bracket + 1));
    rest = rest.substr(0, bracket);
  }
  std::size_t last = 0;
  forEachOuterBlank(rest, [&last](std::size_t blank) {
    last = blank;
    return true;
  });
  const std::string_view place = rest.substr(last == 0 ? 0 : last + 1);
  const bool placed = last != 0 && (place.contains('/') || place.contains('\\') ||
                                    withoutPosition(place).size() < place.size());
  if (placed) {
    rest = rest.substr(0, last);
    constexpr std::string_view kAt = " at";  // cpptrace
    rest.remove_suffix(rest.ends_with(kAt) ? kAt.size() : 0);
  }
  return nativeFrame(rest, module);
}

// Android: "pc 000000000004e5a4  /system/lib64/libc.so (abort+164)"
std::optional<RawFrame> parseTombstoneFrame(std::string_view rest) {
  if (!consume(rest, "pc ")) {
    return std::nullopt;
  }
  rest = withoutIndent(rest.substr(runEnd(rest, 0, kHexChar)));
  const std::string_view module = before(rest, " ");
  rest = withoutIndent(rest.substr(module.size()));
  if (rest.starts_with("(offset ")) {
    rest = withoutIndent(rest.substr(std::min(rest.find(')') + 1, rest.size())));
  }
  if (!rest.starts_with('(') || !rest.ends_with(')')) {
    return nativeFrame({}, module);
  }
  rest = rest.substr(1, rest.size() - 2);
  return nativeFrame(rest.substr(0, rest.rfind('+')), module);
}

// backward-cpp: `Source "/app/login.cc", line 42, in auth::login()`. It prints the frame of the
// fault last, and source lines below each frame.
std::optional<RawFrame> parseBackwardFrame(std::string_view rest) {
  const bool known = consume(rest, "Source \"") || consume(rest, "Object \"");
  const std::size_t in = rest.find(", in");
  if (!known || in == std::string_view::npos) {
    return std::nullopt;
  }
  RawFrame frame = nativeFrame(trimmedLine(rest.substr(in + 4)), before(rest, "\""));
  frame.tail = FrameTail::source;
  frame.oldestFirst = true;
  return frame;
}

}  // namespace

std::optional<RawFrame> parseDebuggerFrame(std::string_view line) {
  const std::size_t number = runEnd(line, 1, kDigitChar);
  if (number == 1 || number >= line.size() || !isBlank(line[number])) {
    return std::nullopt;
  }
  const bool first = line.substr(1, number - 1).find_first_not_of('0') == std::string_view::npos;
  std::string_view rest = trimmedLine(before(line.substr(number), " (BuildId:"));
  if (rest.starts_with("<signal handler called>")) {
    return RawFrame{};
  }
  std::optional<RawFrame> frame = parseBackwardFrame(rest);
  if (frame) {
    return frame;
  }
  frame = parseTombstoneFrame(rest);
  if (!frame) {
    const bool addressed = consumeAddress(rest);
    frame = parseGdbFrame(rest);
    if (frame && !addressed) {
      // Dart prints frames like gdb, but with the position in brackets.
      const std::string_view place = rest.substr(rest.rfind('('));
      if (place.contains(".dart:")) {
        frame->file = withoutPosition(place.substr(1, place.size() - 2));
      }
    } else if (!frame &&
               (addressed || isModule(rest.substr(std::min(rest.rfind('('), rest.size()))))) {
      frame = parseSanitizerFrame(rest);
    }
  }
  if (frame) {
    frame->startsStack = first;
  }
  return frame;
}

std::optional<RawFrame> parseLibraryFrame(std::string_view line) {
  line.remove_prefix(std::min(runEnd(line, 0, kDigitChar) + 1, line.size()));
  if (!line.starts_with(' ')) {
    return std::nullopt;
  }
  line = withoutIndent(line);
  const bool unnamed = consumeAddress(line);
  line = before(line, " [0x");
  if (unnamed) {
    return nativeFrame({}, line);
  }
  if (const std::size_t at = line.rfind(" at "); at != std::string_view::npos) {
    return nativeFrame(line.substr(0, at), {});
  }
  const std::size_t in = line.rfind(" in ");
  return in == std::string_view::npos ? nativeFrame(line, {})
                                      : nativeFrame(line.substr(0, in), line.substr(in + 4));
}

std::optional<RawFrame> parseGlibcFrame(std::string_view line) {
  const std::size_t address = line.rfind("[0x");
  const std::size_t open = line.find('(');
  if (address == std::string_view::npos || open == std::string_view::npos || !line.ends_with(']') ||
      address < open) {
    return std::nullopt;
  }
  const std::string_view named = trimmedLine(line.substr(0, address));
  if (!named.ends_with(')')) {
    return std::nullopt;
  }
  const std::string_view symbol = named.substr(open + 1, named.size() - open - 2);
  const std::size_t offset = symbol.rfind("+0x");
  return nativeFrame(symbol.substr(0, offset), line.substr(0, open));
}

std::optional<RawFrame> parseCrashReportFrame(std::string_view line) {
  const std::size_t bang = line.find('!');
  if (bang != std::string_view::npos) {
    // No blank separates a return type from the name here, and unnamed namespaces contain one.
    const std::string_view function = line.substr(bang + 1);
    // Breakpad prints " [login.cc : 42 + 0x1d]" or only " + 0x1d".
    const std::size_t place =
        function.contains(" + 0x") ? function.find(" [") : std::string_view::npos;
    const std::size_t end = std::min({function.find("+0x"), function.find(" + 0x"), place});
    return end == std::string_view::npos
               ? std::nullopt
               : std::optional(RawFrame{.function = function.substr(0, end), .file = {}});
  }
  const std::size_t address = line.find("0x");
  if (address == std::string_view::npos || !isBlank(line[address - 1])) {
    return std::nullopt;
  }
  const std::string_view module =
      trimmedLine(line.substr(0, address)).substr(runEnd(line, 0, kDigitChar));
  std::string_view symbol = line.substr(address);
  consumeAddress(symbol);
  const std::size_t offset = symbol.rfind(" + ");
  if (module.empty() || offset == std::string_view::npos) {
    return std::nullopt;
  }
  symbol = symbol.substr(0, offset);
  return nativeFrame(symbol.starts_with("0x") ? std::string_view{} : symbol, withoutIndent(module));
}

std::optional<RawFrame> parseLldbFrame(std::string_view line) {
  consume(line, "* ");
  if (!consume(line, "frame #")) {
    return std::nullopt;
  }
  const bool first = line.starts_with("0:");
  line.remove_prefix(runEnd(line, 0, kDigitChar));
  const std::size_t tick = line.find('`');
  if (!consume(line, ": ") || !consumeAddress(line) || tick == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view module = before(line, "`");
  line.remove_prefix(std::min(module.size() + 1, line.size()));
  const std::size_t end = std::min({line.rfind(" at "), line.rfind(" + "), line.size()});
  RawFrame frame = nativeFrame(line.substr(0, end), module);
  frame.startsStack = first;
  return frame;
}

std::optional<RawFrame> parseAddressFrame(std::string_view line) {
  constexpr std::size_t kMinAddress = 4;
  if (!consume(line, "@ ")) {
    return std::nullopt;
  }
  line = withoutIndent(line);
  consume(line, "0x");
  const std::size_t address = runEnd(line, 0, kHexChar);
  if (address < kMinAddress || address >= line.size() || !isBlank(line[address])) {
    return std::nullopt;
  }
  line = withoutIndent(line.substr(address));
  // Abseil prints the size of each frame.
  if (const std::size_t size = runEnd(line, 0, kDigitChar);
      size > 0 && size < line.size() && isBlank(line[size])) {
    line = withoutIndent(line.substr(size));
  }
  return nativeFrame(line, {});
}

std::optional<RawFrame> parseValgrindFrame(std::string_view line) {
  if (!consume(line, "==")) {
    return std::nullopt;
  }
  line.remove_prefix(runEnd(line, 0, kDigitChar));
  if (!consume(line, "== ")) {
    return std::nullopt;
  }
  line = withoutIndent(line);
  const bool first = consume(line, "at ");
  if ((!first && !consume(line, "by ")) || !consumeAddress(line)) {
    return std::nullopt;
  }
  const std::size_t place = line.rfind(" (");
  const std::string_view module =
      place == std::string_view::npos ? std::string_view{} : before(line.substr(place + 2), ")");
  RawFrame frame = nativeFrame(
      line.substr(0, place) == "???" ? std::string_view{} : line.substr(0, place), module);
  frame.startsStack = first;
  return frame;
}

}  // namespace auth_errors::domain
