#include "domain/stack/names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "domain/stack/mangled.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// A longer name adds no information; the limit bounds the cost of nested brackets.
constexpr std::size_t kMaxQualifiedName = 512;

constexpr std::string_view kOperator = "operator";

char closingOf(char open) {
  switch (open) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    default:
      return '>';
  }
}

// The position after the bracket that closes the one at `at`, or npos. The arrow is not a bracket.
std::size_t groupEnd(std::string_view text, std::size_t at) {
  const char open = text[at];
  const char close = closingOf(open);
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) {
      ++depth;
    } else if (text[i] == close) {
      const bool arrow = close == '>' && (text[i - 1] == '-' || text[i - 1] == '=');
      depth -= arrow ? 0 : 1;
      if (depth == 0) {
        return i + 1;
      }
    }
  }
  return std::string_view::npos;
}

bool isNameChar(char c) { return isAlnum(c) || c == '_' || isOf(c, kQuoteChar) || (c & 0x80) != 0; }

// First pass: brackets. Parameters and type arguments are removed; "<init>" and "{main}" are names
// themselves; Rust's "<Login as Provider>::check" becomes Login::check.
class BracketRemover {
 public:
  explicit BracketRemover(std::string_view name) { take(name, kMaxTypes); }

  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  static constexpr int kMaxTypes = 3;
  static constexpr std::string_view kAnonymous = "{anonymous}";

  void take(std::string_view name, int types) {
    for (std::size_t at = 0; at < name.size();) {
      const char c = name[at];
      const bool opens = c == '(' || c == '[' || c == '{' || c == '<';
      if (constexpr std::string_view kUnnamed = "`anonymous namespace'";
          c == '`' && name.substr(at).starts_with(kUnnamed)) {
        out_ += kAnonymous;
        at += kUnnamed.size();
        continue;
      }
      const bool sign = c == '<' && (out_.ends_with(kOperator) || out_.ends_with("operator<"));
      if (!opens || sign) {
        out_ += isOf(c, kSpaceChar) ? '_' : c;
        ++at;
        continue;
      }
      const std::size_t end = broken_ ? std::string_view::npos : groupEnd(name, at);
      if (end == std::string_view::npos) {
        // Stop at the first unclosed bracket: searching for the end of each would not be linear.
        broken_ = true;
        ++at;
        continue;
      }
      takeGroup(name.substr(at, end - at), name.substr(end), types);
      at = end;
    }
  }

  void takeGroup(std::string_view group, std::string_view following, int types) {
    const std::string_view inner = group.substr(1, group.size() - 2);
    switch (group.front()) {
      case '(':
        if (inner == "anonymous namespace") {
          out_ += kAnonymous;
        } else if (inner.starts_with('*') && types > 0) {
          take(inner.substr(1), types - 1);  // a Go receiver
        }
        return;
      case '{':
        // Rust's {{closure}} and {closure#0}, C++'s {lambda(int)#1}; PHP's {closure} has no number.
        if (!inner.starts_with('{') && !inner.contains('#')) {
          out_ += group;
        }
        return;
      case '<':
        takeAngles(group, inner, following, types);
        return;
      default:
        return;
    }
  }

  void takeAngles(std::string_view group, std::string_view inner, std::string_view following,
                  int types) {
    if (inner.starts_with("lambda_")) {
      return;
    }
    if (following.starts_with("::") && types > 0 && startsSegment()) {
      take(typeOf(inner), types - 1);
    } else if (!out_.empty() && (isNameChar(out_.back()) || out_.ends_with("::"))) {
      return;
    } else if (!inner.contains("lambda(")) {
      for (const char c : group) {
        out_ += isOf(c, kSpaceChar) || c == '(' || c == ')' ? '_' : c;
      }
    }
  }

  [[nodiscard]] bool startsSegment() const { return out_.empty() || !isNameChar(out_.back()); }

  // The type that has the method, from "Login as Provider" or "impl Provider for Login".
  static std::string_view typeOf(std::string_view inner) {
    if (consume(inner, "impl ")) {
      const std::size_t implemented = inner.rfind(" for ");
      inner.remove_prefix(implemented == std::string_view::npos ? 0 : implemented + 5);
    }
    return before(inner, " as ");
  }

  std::string out_;
  bool broken_ = false;
};

// Words that a runtime numbers: $Proxy42, jdk.proxy2, lambda_method17, Login$_check_closure3.
constexpr std::array<std::string_view, 8> kCountedWords = {
    "Proxy", "Proxy_", "proxy", "lambda_method", "closure", "Script", "AjcClosure", "_aroundBody"};

// Entity Framework's User_8F3A…: the hash of a mapping.
std::string_view withoutHash(std::string_view word) {
  constexpr std::size_t kMinHash = 32;
  if (word.size() <= kMinHash) {
    return word;
  }
  const std::size_t line = word.rfind('_');
  return line != std::string_view::npos && line > 0 && isHexHash(word.substr(line + 1), kMinHash)
             ? word.substr(0, line)
             : word;
}

std::string_view withoutCounter(std::string_view word) {
  word = withoutHash(word);
  std::size_t end = word.size();
  while (end > 0 && isDigit(word[end - 1])) {
    --end;
  }
  const std::string_view front = word.substr(0, end);
  const bool counted = std::ranges::any_of(
      kCountedWords, [front](std::string_view known) { return front.ends_with(known); });
  if (!counted) {
    return word;
  }
  return front.substr(0, front.find_last_not_of('_') + 1);
}

// F#'s closure "check@12", and Go's body of a loop over a function, "check-range1".
std::string_view withoutLine(std::string_view method) {
  const std::size_t at = method.find('@');
  if (at != std::string_view::npos && at > 0 && at + 1 < method.size() && isDigit(method[at + 1])) {
    return method.substr(0, at);
  }
  if (method.empty() || !isDigit(method.back())) {
    return method;
  }
  const std::size_t range = method.rfind("-range");
  return range != std::string_view::npos && isCounted(method.substr(range), "-range")
             ? method.substr(0, range)
             : method;
}

// Kotlin's "check-8Xd7z2k" takes a value class as a parameter: the hash of its type.
std::string_view withoutSignatureHash(std::string_view method) {
  constexpr std::size_t kHash = 7;
  if (method.size() <= kHash + 1 || method[method.size() - kHash - 1] != '-') {
    return method;
  }
  const std::string_view hash = method.substr(method.size() - kHash);
  const bool generated =
      std::ranges::all_of(hash, [](char c) { return isOf(c, kBase64UrlChar); }) &&
      std::ranges::any_of(hash, [](char c) { return !isOf(c, kLowerChar); });
  return generated ? method.substr(0, method.size() - kHash - 1) : method;
}

// The module in Kotlin's internal function "check$shop_main": Gradle's project and source set.
bool isModuleName(std::string_view part) {
  return part.ends_with("_main") || part.ends_with("_debug") || part.ends_with("_release");
}

// Parts between dollar signs that javac, kotlinc, scalac and bundlers add to make a name unique.
bool isGeneratedPart(std::string_view part) {
  constexpr std::array<std::string_view, 8> kWords = {
      "lambda", "anonfun", "default", "adapted", "suspendImpl", "access", "sam", "inlined"};
  std::string_view counter = part;
  if (consume(counter, "lambda-") || consume(counter, "fn__") || consume(counter, "_")) {
    return isAllDigits(counter);
  }
  return isAllDigits(part) || isHexHash(part, 6) || isModuleName(part) ||
         std::ranges::contains(kWords, part);
}

// The rest of a class name after these parts is generated at run time.
bool endsGeneratedClass(std::string_view part) {
  constexpr std::array<std::string_view, 4> kWords = {"HibernateProxy", "ByteBuddy", "MockitoMock",
                                                      "HibernateBasicProxy"};
  return std::ranges::contains(kWords, part);
}

// "lambda$login$0" becomes login, "Login$1" and "Login$$EnhancerBySpringCGLIB$$3f2a" Login.
void appendDollarParts(std::string& out, std::string_view segment) {
  const std::size_t begin = out.size();
  const std::size_t doubled = segment.find("$$", 1);
  segment = segment.substr(0, doubled);
  std::string_view fallback;
  bool leading = segment.starts_with('$');
  while (!segment.empty()) {
    const std::size_t end = std::min(segment.find('$'), segment.size());
    const std::string_view part = segment.substr(0, end);
    segment.remove_prefix(std::min(end + 1, segment.size()));
    if (part.empty()) {
      continue;
    }
    if (part == "r8") {
      // The Android compiler's "$r8$lambda$AbC1": a hash follows.
      out.resize(begin);
      out += "lambda";
      return;
    }
    if (isGeneratedPart(part)) {
      leading = false;
      fallback =
          fallback.empty() && !isDigit(part.front()) && part.front() != '_' ? part : fallback;
      continue;
    }
    if (out.size() > begin || leading) {
      out += '$';
    }
    leading = false;
    out += withoutCounter(part);
    if (endsGeneratedClass(part)) {
      return;
    }
  }
  if (out.size() == begin) {
    out += fallback;
  }
}

// C#'s "<Login>d__5", "<Login>b__1_0", "<Login>g__Check|5_0", "<<Login>b__0>d", "<Main>$".
bool appendGeneratedMethod(std::string& out, std::string_view segment) {
  const std::size_t name = segment.find_first_not_of("<.");
  if (name == std::string_view::npos) {
    return false;
  }
  const std::size_t end = segment.find('>', name);
  if (end == std::string_view::npos || end + 1 == segment.size()) {
    return false;
  }
  out += segment.substr(name, end - name);
  const std::size_t local = segment.find("g__", end);
  if (local != std::string_view::npos) {
    out += '.';
    out += before(segment.substr(local + 3), "|");
  }
  return true;
}

// Go's func1, gowrap2 and deferwrap1, Rust's h0123456789abcdef, a hidden class's
// 0x0000000800c1a000.
bool isGeneratedSegment(std::string_view segment) {
  constexpr std::size_t kRustHash = 16;
  for (const std::string_view word : {"func", "gowrap", "deferwrap"}) {
    if (isCounted(segment, word)) {
      return true;
    }
  }
  std::string_view digits = segment;
  if (consume(digits, "0x") && isAllHex(digits)) {
    return true;
  }
  if (segment.size() == kRustHash + 1 && segment.front() == 'h' && isAllHex(segment.substr(1))) {
    return true;
  }
  return isAllDigits(segment);
}

// Second pass: each segment with its preceding separator.
class SegmentCleaner {
 public:
  explicit SegmentCleaner(std::string_view name) : rest_(name) {
    while (!rest_.empty()) {
      const std::string_view separator = takeSeparator();
      append(separator, takeSegment());
    }
    foldContinuation();
    foldProxyPackage();
  }

  std::string take() { return std::move(out_); }

 private:
  static std::size_t separatorLength(std::string_view text) {
    if (text.starts_with("::") || text.starts_with("->")) {
      return 2;
    }
    // Mono's notation for a nested class: "Login+<Check>d__5".
    return text.starts_with("+<") || std::string_view("./\\#:").contains(text.front()) ? 1 : 0;
  }

  // Keeps the first of several consecutive separators: the text between them was removed.
  std::string_view takeSeparator() {
    const std::size_t first = separatorLength(rest_);
    const std::string_view separator = rest_.substr(0, first);
    for (std::size_t length = first; length > 0 && !rest_.empty();
         length = rest_.empty() ? 0 : separatorLength(rest_)) {
      rest_.remove_prefix(length);
    }
    return separator;
  }

  std::string_view takeSegment() {
    std::size_t end = 0;
    if (rest_.starts_with('<')) {
      end = groupEnd(rest_, 0);
      end = end == std::string_view::npos ? 1 : end;
    }
    while (end < rest_.size() && separatorLength(rest_.substr(end)) == 0) {
      ++end;
    }
    // "operator->" and "operator/" end in characters that separate names elsewhere.
    if (rest_.substr(0, end) == kOperator &&
        rest_.find_first_not_of("->/*=", end) == std::string_view::npos) {
      end = rest_.size();
    }
    const std::string_view segment = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return segment;
  }

  void append(std::string_view separator, std::string_view segment) {
    segment = withoutLine(before(before(segment, "`"), "\xC2\xB7"));
    if (segment.ends_with("-fm")) {
      segment.remove_suffix(3);
    } else if (rest_.empty()) {
      segment = withoutSignatureHash(segment);
    }
    const bool resumes = resumable_ && segment == "MoveNext";
    const bool isLambdaCall = segment == kOperator && rest_.empty();
    if (segment.empty() || segment.starts_with("<>") || resumes ||
        (!out_.empty() && (isGeneratedSegment(segment) || isLambdaCall))) {
      return;
    }
    const std::size_t size = out_.size();
    if (!out_.empty()) {
      out_ += separator;
    }
    const std::size_t begin = out_.size();
    resumable_ = segment.starts_with('<') && appendGeneratedMethod(out_, segment);
    if (resumable_) {
      return;
    }
    if (segment.contains('$')) {
      appendDollarParts(out_, segment);
    } else {
      out_ += withoutCounter(segment);
    }
    if (out_.size() == begin) {
      out_.resize(size);
    }
  }

  // "LoginKt$login$1.invokeSuspend" resumes LoginKt.login and is next to it in the trace.
  // "LoginKt$login$1.invoke" is a lambda in it, which Kotlin 2 calls "LoginKt.login$lambda$0".
  void foldContinuation() {
    constexpr std::string_view kResumed = ".invokeSuspend";
    constexpr std::string_view kCalled = ".invoke";
    const bool resumed = out_.ends_with(kResumed);
    if (!resumed && !out_.ends_with(kCalled)) {
      return;
    }
    const std::string_view owner =
        std::string_view(out_).substr(0, out_.size() - (resumed ? kResumed : kCalled).size());
    const std::size_t dollar = owner.find_last_of(".$");
    const bool inFunction = dollar != std::string_view::npos && owner[dollar] == '$' &&
                            dollar > 0 && dollar + 1 < owner.size();
    // Classes have their own invoke.
    if (inFunction && (resumed || isOf(owner[dollar + 1], kLowerChar))) {
      out_.resize(owner.size());
      out_[dollar] = '.';
    }
  }

  // The package of a proxy depends on the version of the JVM.
  void foldProxyPackage() {
    for (const std::string_view package : {"com.sun.proxy.", "jdk.proxy."}) {
      if (std::string_view name = out_; consume(name, package) && name.starts_with("$Proxy")) {
        out_.erase(0, package.size());
      }
    }
  }

  std::string_view rest_;
  std::string out_;
  bool resumable_ = false;
};

}  // namespace

std::string cleanName(std::string_view name) {
  const std::string path = demangledPath(name);
  const BracketRemover unbracketed((path.empty() ? name : path).substr(0, kMaxQualifiedName));
  return SegmentCleaner(unbracketed.text()).take();
}

std::string_view simpleName(std::string_view name) {
  const std::size_t at = name.find_last_of(".\\:/");
  return at == std::string_view::npos || at + 1 == name.size() ? name : name.substr(at + 1);
}

bool isPlumbing(std::string_view cleanedName) {
  constexpr auto kStarts = std::to_array<std::string_view>({
      "jdk.internal.reflect.",
      "sun.reflect.",
      "java.lang.invoke.",
      "_COROUTINE.",
      "System.Runtime.ExceptionServices.ExceptionDispatchInfo.",
      "System.Runtime.CompilerServices.TaskAwaiter",
      "System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
      "System.Runtime.CompilerServices.ValueTaskAwaiter",
      "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable",
      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder",
      "System.Runtime.CompilerServices.AsyncMethodBuilderCore",
      "process.processTicksAndRejections",
      "processTicksAndRejections",
      "Generator.next",
      "asyncGeneratorStep",
      "__awaiter",
      "runtime.goexit",
      "lambda_method",
      "<unknown>",
      "java.lang.reflect.Constructor.newInstanceWithCaller",
      "rust_begin_unwind",
      "__rustc::rust_begin_unwind",
  });
  return std::ranges::any_of(
      kStarts, [cleanedName](std::string_view start) { return cleanedName.starts_with(start); });
}

}  // namespace auth_errors::domain
