// Frames of Python, Ruby and PHP.
#include <algorithm>
#include <array>

#include "domain/stack/frames.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// Since Python 3.12, comprehensions have no frames.
bool isComprehension(std::string_view function) {
  return function == "<listcomp>" || function == "<dictcomp>" || function == "<setcomp>";
}

// "block (2 levels) in login", "rescue in login": a part of login.
std::string_view withoutBlock(std::string_view method) {
  for (;;) {
    const std::size_t in = method.find(" in ");
    const bool part = in != std::string_view::npos &&
                      (method.starts_with("block") || method.starts_with("rescue") ||
                       method.starts_with("ensure"));
    if (!part) {
      break;
    }
    method.remove_prefix(in + 4);
  }
  return method.starts_with("<top ") ? std::string_view("<main>") : method;
}

bool isLibraryFile(std::string_view file) {
  return file.contains("/gems/") || file.contains("/lib/ruby/") || file.starts_with('<');
}

bool isCoreClass(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"Array",  "BasicObject", "Class",  "Comparable", "Enumerable", "Enumerator",
       "Fiber",  "File",        "Float",  "Hash",       "IO",         "Integer",
       "Kernel", "Method",      "Module", "NilClass",   "Object",     "Proc",
       "Range",  "Regexp",      "String", "Struct",     "Symbol",     "Thread",
       "Time",   "Mutex",       "Dir",    "Process",    "Exception"});
  return std::ranges::contains(kNames, name);
}

// Whether a file is named after a part of "Acme::LoginToken": "login_token.rb".
bool isNamedAfter(std::string_view file, std::string_view owner) {
  file = before(file.substr(file.find_last_of("/\\") + 1), ".rb");
  std::size_t at = 0;
  for (const char c : owner) {
    if (c == ':') {
      if (at == file.size() && !file.empty()) {
        return true;
      }
      at = 0;
      continue;
    }
    at += at < file.size() && file[at] == '_' ? 1U : 0U;
    at = at < file.size() && toLower(file[at]) == toLower(c) ? at + 1 : std::string_view::npos;
  }
  return at == file.size() && !file.empty();
}

// Since Ruby 3.4 a method is printed with its class, "User#check" or "User.create". The class is
// kept only if the file does not imply it; otherwise that upgrade would change every trace.
std::string_view withoutOwner(std::string_view method, std::string_view file) {
  const std::size_t sign = method.find_last_of("#.");
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == method.size() ||
      method.starts_with('<')) {
    return method;
  }
  const std::string_view owner = method.substr(0, sign);
  return isLibraryFile(file) || isCoreClass(owner) || isNamedAfter(file, owner)
             ? method.substr(sign + 1)
             : method;
}

// Template methods contain ids of this process: "_app_views_login_new_html_erb___17_2840".
std::string_view withoutTemplateIds(std::string_view method) {
  const std::size_t ids = method.find("__");
  const bool generated = ids != std::string_view::npos && ids > 0 &&
                         method.find_first_not_of("_-0123456789", ids) == std::string_view::npos;
  return generated ? method.substr(0, ids) : method;
}

// "(eval at /app/login.rb:3)"
std::string_view evaluatedIn(std::string_view file) {
  if (consume(file, "(eval at ")) {
    file = withoutPosition(before(file, ")"));
  }
  return file;
}

// "devise (4.9.2) lib/devise/models.rb"
void splitGem(RawFrame& frame) {
  const std::size_t open = frame.file.find(" (");
  const std::size_t close = frame.file.find(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return;
  }
  frame.gem = frame.file.substr(0, open);
  frame.file.remove_prefix(close + 2);
}

// PHP 8.4: "{closure:App\Login::check():12}" names the enclosing function.
std::string_view phpFunction(std::string_view call) {
  constexpr std::string_view kClosure = "{closure:";
  const std::size_t closure = call.find(kClosure);
  if (closure != std::string_view::npos) {
    call.remove_prefix(closure + kClosure.size());
  }
  return before(call, "(");
}

// "/app/login.php(3) : eval()'d code"
std::string_view withoutEvaluation(std::string_view file) {
  const std::string_view caller = before(file, ") : ");
  return caller.size() < file.size() ? before(caller, "(") : file;
}

// "class@anonymous/srv/app/login.php:12$0->check"
std::string_view methodOfAnonymousClass(std::string_view function) {
  const std::size_t behindMark = std::max(function.rfind("->") + 1, function.rfind("::") + 1);
  return behindMark == 0 ? std::string_view{} : function.substr(behindMark + 1);
}

// The file is the caller's. The class of a method is more specific and does not change when files
// move.
RawFrame withoutCallersFile(RawFrame frame) {
  if (frame.function.contains("@anonymous")) {
    frame.function = methodOfAnonymousClass(frame.function);
    return frame;
  }
  const bool qualified = frame.function.contains("->") || frame.function.contains("::") ||
                         frame.function.contains('\\');
  if (qualified && !frame.function.ends_with("{closure}")) {
    frame.file = {};
  }
  return frame;
}

}  // namespace

std::optional<RawFrame> parsePythonFrame(std::string_view line) {
  consume(line, "> ");  // Loguru's mark for where an exception was caught
  if (!consume(line, "File \"")) {
    return std::nullopt;
  }
  const std::size_t quote = line.find("\", line ");
  if (quote == std::string_view::npos) {
    return std::nullopt;
  }
  RawFrame frame{.function = {},
                 .file = line.substr(0, quote),
                 .tail = FrameTail::source,
                 .oldestFirst = true};
  const std::size_t in = line.find(", in ", quote);
  if (in != std::string_view::npos) {
    frame.function = trimmedLine(line.substr(in + 5));
  }
  if (isComprehension(frame.function)) {
    frame.function = {};
    frame.file = {};
  }
  return frame;
}

std::optional<RawFrame> parseRubyFrame(std::string_view line) {
  consume(line, "from ");
  const std::size_t in = line.find(":in ");
  if (in == std::string_view::npos) {
    const std::string_view file = withoutPosition(line);
    if (file.size() == line.size() || !file.ends_with(".rb") || file.contains(' ')) {
      return std::nullopt;
    }
    return RawFrame{.function = {}, .file = file};
  }
  const std::string_view place = line.substr(0, in);
  RawFrame frame{.function = line.substr(in + 4), .file = withoutPosition(place)};
  if (frame.file.size() == place.size() || frame.function.empty() ||
      !isOf(frame.function.front(), kQuoteChar)) {
    return std::nullopt;
  }
  frame.function.remove_prefix(1);
  const std::size_t end = frame.function.find('\'');
  frame.opensCause =
      end != std::string_view::npos && frame.function.substr(end + 1).starts_with(": ");
  frame.function = withoutTemplateIds(withoutBlock(frame.function.substr(0, end)));
  frame.file = evaluatedIn(frame.file);
  splitGem(frame);
  frame.function = withoutOwner(frame.function, frame.gem.empty() ? frame.file : "/gems/");
  return frame;
}

std::optional<RawFrame> parsePhpFrame(std::string_view line) {
  const std::size_t number = runEnd(line, 1, kDigitChar);
  if (number == 1 || number >= line.size() || line[number] != ' ') {
    return std::nullopt;
  }
  line.remove_prefix(number + 1);
  if (line.starts_with("{main}")) {
    return RawFrame{};
  }
  RawFrame frame{};
  if (consume(line, "[internal function]: ")) {
    frame.function = phpFunction(line);
  } else {
    const std::size_t end = line.find("): ");
    const std::size_t open = end == std::string_view::npos ? end : line.rfind('(', end);
    if (open == std::string_view::npos || !isAllDigits(line.substr(open + 1, end - open - 1))) {
      return std::nullopt;
    }
    frame.function = phpFunction(line.substr(end + 3));
    frame.file = withoutEvaluation(line.substr(0, open));
  }
  return withoutCallersFile(frame);
}

std::optional<RawFrame> parseXdebugFrame(std::string_view line) {
  consume(line, "PHP ");
  // The time and the memory may precede the number.
  std::size_t number = 0;
  do {
    line = withoutIndent(line.substr(number));
    number = std::min(line.find_first_not_of("0123456789."), line.size());
  } while (number > 0 && line[number - 1] != '.');
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(") ");
  if (number == 0 || !line.substr(number).starts_with(' ') || open == std::string_view::npos ||
      close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const std::string_view place = line.substr(close + 2);
  RawFrame frame{.function = phpFunction(line.substr(number + 1)),
                 .file = withoutPosition(place),
                 .oldestFirst = true};
  if (frame.file.size() == place.size() || frame.function.contains(' ')) {
    return std::nullopt;
  }
  if (frame.function == "{main}") {
    return RawFrame{};
  }
  return withoutCallersFile(frame);
}

}  // namespace auth_errors::domain
