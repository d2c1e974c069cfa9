// Frames of Go, Rust and C++.
#include <algorithm>
#include <array>

#include "domain/stack_frames.h"
#include "domain/stack_text.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kCreatedBy = "created by ";

// "\t/app/main.go:42 +0x1d"; a client may have trimmed the line.
bool isGoPlace(std::string_view line) {
  const std::string_view place = trimmedLine(line);
  if (place.size() == line.size() && !place.starts_with('/')) {
    return false;
  }
  for (const std::string_view extension : {".go:", ".s:"}) {
    const std::size_t at = place.find(extension);
    if (at != std::string_view::npos && at + extension.size() < place.size() &&
        isDigit(place[at + extension.size()])) {
      return true;
    }
  }
  return false;
}

// "github.com/acme/shop/vendor/github.com/gin-gonic/gin.New": the package has the same name
// without.
std::string_view withoutVendorFolder(std::string_view function) {
  constexpr std::string_view kVendor = "/vendor/";
  const std::size_t vendor = function.rfind(kVendor);
  return vendor == std::string_view::npos ? function : function.substr(vendor + kVendor.size());
}

// Skips "0x000055d0c0de ", with or without the word that joins it to what follows.
bool consumeAddress(std::string_view& text) {
  if (!text.starts_with("0x")) {
    return false;
  }
  text = withoutIndent(text.substr(runEnd(text, 2, kHexChar)));
  if (!consume(text, "in ")) {
    consume(text, "- ");
  }
  text = withoutIndent(text);
  return true;
}

// Calls `visit` for each blank outside of brackets; it returns false to end.
template <typename Visit>
void forEachOuterBlank(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    const bool sign = (c == '<' || c == '>') && text.substr(0, i).ends_with("operator");
    if (arrow || sign) {
      continue;
    }
    if (c == '(' || c == '<' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == '>' || c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == ' ' && depth == 0 && !visit(i)) {
      return;
    }
  }
}

// A C++ signature without return type, qualifiers and what the optimiser and the linker append.
std::string_view functionOf(std::string_view signature) {
  for (const std::string_view appended :
       {" [", ".isra.", ".part.", ".constprop.", ".cold", ".llvm.", "@"}) {
    signature = before(signature, appended);
  }
  constexpr std::array<std::string_view, 5> kQualifiers = {" const", " noexcept", " volatile", " &",
                                                           " &&"};
  while (std::ranges::any_of(kQualifiers, [&signature](std::string_view qualifier) {
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

RawFrame nativeFrame(std::string_view signature, std::string_view module) {
  const std::string_view function = functionOf(signature);
  if (function.empty() || function == "??") {
    // Systems keep one library in different folders.
    return {.function = {}, .file = module.substr(module.rfind('/') + 1)};
  }
  return {.function = function, .file = {}};
}

// gdb puts a blank before the parameters and "at" or "from" behind them.
std::optional<RawFrame> parseGdbFrame(std::string_view rest) {
  std::size_t parameters = std::string_view::npos;
  forEachOuterBlank(rest, [&](std::size_t blank) {
    const bool found = rest.substr(blank).starts_with(" (");
    parameters = found ? blank : parameters;
    return !found;
  });
  if (parameters == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t place = std::min(rest.rfind(") at "), rest.rfind(") from "));
  if (place == std::string_view::npos && !rest.ends_with(')')) {
    return std::nullopt;
  }
  const std::size_t from = rest.rfind(" from ");
  const std::string_view module =
      from == std::string_view::npos ? std::string_view{} : rest.substr(from + 6);
  return nativeFrame(rest.substr(0, parameters), module);
}

// Sanitizers put the place, or the module in brackets, behind the signature.
RawFrame parseSanitizerFrame(std::string_view rest) {
  rest = trimmedLine(before(rest, " (BuildId:"));
  if (rest.starts_with('(')) {
    return nativeFrame({}, moduleOf(rest));
  }
  const std::size_t module = rest.rfind(" (/");
  if (module != std::string_view::npos) {
    return nativeFrame(rest.substr(0, module), moduleOf(rest.substr(module + 1)));
  }
  std::size_t last = 0;
  forEachOuterBlank(rest, [&last](std::size_t blank) {
    last = blank;
    return true;
  });
  const std::string_view place = rest.substr(last == 0 ? 0 : last + 1);
  const bool placed = last != 0 && (place.contains('/') || place.contains('\\') ||
                                    withoutPosition(place).size() < place.size());
  return nativeFrame(placed ? rest.substr(0, last) : rest, {});
}

bool isRustSymbol(std::string_view text) {
  bool blank = false;
  forEachOuterBlank(text, [&blank](std::size_t) {
    blank = true;
    return false;
  });
  return !text.empty() && !blank;
}

}  // namespace

std::optional<RawFrame> parseGoFrame(std::string_view line, std::string_view next) {
  const bool created = consume(line, kCreatedBy);
  if (!isGoPlace(next)) {
    return std::nullopt;
  }
  line = created ? before(line, " in goroutine ") : line;
  const std::string_view function = line.ends_with(')') ? line.substr(0, line.rfind('(')) : line;
  if (function.empty() || function.contains(' ')) {
    return std::nullopt;
  }
  return RawFrame{
      .function = withoutVendorFolder(function), .file = {}, .tail = FrameTail::nextLine};
}

std::optional<RawFrame> parseRustFrame(std::string_view line) {
  consumeAddress(line);
  if (!isRustSymbol(line)) {
    return std::nullopt;
  }
  return RawFrame{.function = line, .file = {}, .tail = FrameTail::atLine};
}

std::optional<RawFrame> parseDebuggerFrame(std::string_view line) {
  const std::size_t number = runEnd(line, 1, kDigitChar);
  if (number == 1 || number >= line.size() || !isBlank(line[number])) {
    return std::nullopt;
  }
  std::string_view rest = withoutIndent(line.substr(number));
  if (rest.starts_with("<signal handler called>")) {
    return RawFrame{};
  }
  const bool addressed = consumeAddress(rest);
  if (const auto frame = parseGdbFrame(rest);
      frame && (!addressed || rest.contains(") at ") || rest.contains(") from "))) {
    // Dart writes its frames like gdb, but with the place in the brackets.
    const std::string_view place = rest.substr(rest.rfind('('));
    if (!addressed && place.contains(".dart:")) {
      return RawFrame{.function = frame->function,
                      .file = withoutPosition(place.substr(1, place.size() - 2))};
    }
    return frame;
  }
  return addressed ? std::optional(parseSanitizerFrame(rest)) : std::nullopt;
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
  const std::size_t address = line.rfind(" [0x");
  const std::size_t open = line.find('(');
  if (address == std::string_view::npos || open == std::string_view::npos || !line.ends_with(']') ||
      address < open || line[address - 1] != ')') {
    return std::nullopt;
  }
  const std::string_view symbol = line.substr(open + 1, address - open - 2);
  const std::size_t offset = symbol.rfind("+0x");
  return nativeFrame(symbol.substr(0, offset), line.substr(0, open));
}

}  // namespace auth_errors::domain
