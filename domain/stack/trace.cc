#include "domain/stack/trace.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "domain/scrub/sanitiser.h"
#include "domain/stack/frames.h"
#include "domain/stack/layout.h"
#include "domain/stack/names.h"
#include "domain/stack/prefix.h"
#include "domain/stack/text.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

// More causes are a loop or an attack; they are ignored.
constexpr std::size_t kMaxSections = 32;

// The longest cycle of frames treated as recursion.
constexpr std::size_t kMaxCycle = 4;

// A trace that was truncated may end inside a name, and half a name is a different name. The last
// line is then ignored even if it happens to be complete, which cannot be detected: one frame less
// at the far end of a long trace matters less than a wrong frame. The tolerance covers what the
// sanitiser may remove at the end: blanks and part of a marker.
bool isCut(std::string_view trace) {
  constexpr std::size_t kTakenOffAtTheCut = 64;
  return trace.size() + kTakenOffAtTheCut >= kMaxStacktraceCodePoints &&
         countCodePoints(trace) + kTakenOffAtTheCut >= kMaxStacktraceCodePoints;
}

// Folds repeated frames, and repeated cycles of up to four, into one: the depth of a recursion does
// not make a different fault.
void appendFolded(std::vector<std::string>& frames, std::string frame) {
  frames.push_back(std::move(frame));
  for (std::size_t cycle = 1; cycle <= kMaxCycle && 2 * cycle <= frames.size(); ++cycle) {
    const auto last = frames.end() - static_cast<std::ptrdiff_t>(cycle);
    if (std::equal(last, frames.end(), last - static_cast<std::ptrdiff_t>(cycle))) {
      frames.erase(last, frames.end());
      return;
    }
  }
}

void foldRecursion(std::vector<std::string>& frames) {
  std::vector<std::string> folded;
  folded.reserve(frames.size());
  for (std::string& frame : frames) {
    appendFolded(folded, std::move(frame));
  }
  frames = std::move(folded);
}

// The name at the start of "com.acme.LoginException: bad", "App\Login(code: 0): bad" or "Login".
std::string_view leadingClass(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const char c = text[end];
    const bool scope = c == ':' && text.substr(end).starts_with("::");
    const bool named = isAlnum(c) || (c & 0x80) != 0 || std::string_view("_.$\\/+`").contains(c);
    if (!scope && !named) {
      break;
    }
    end += scope ? 2 : 1;
  }
  return text.substr(0, end);
}

// Removes the " (0x80004005)" that .NET appends to the class of a system error.
std::string_view withoutErrorCode(std::string_view text) {
  std::string_view code = text;
  if (!consume(code, " (")) {
    return text;
  }
  consume(code, "0x");
  const std::size_t end = runEnd(code, 0, kHexChar);
  return end > 0 && code.substr(end).starts_with(')') ? code.substr(end + 1) : text;
}

// The class in a line that names a thrown exception; empty for any other line.
std::string_view thrownClass(std::string_view line) {
  for (const std::string_view prefix :
       {"PHP Fatal error:  ", "Fatal error: ", "Unhandled exception. ", "Uncaught "}) {
    consume(line, prefix);
  }
  const std::string_view name = leadingClass(line);
  const std::string_view rest = withoutErrorCode(line.substr(name.size()));
  const bool isClass =
      !name.empty() && !isDigit(name.front()) && (rest.empty() || rest.front() == ':');
  return isClass ? name : std::string_view{};
}

// Python: the 1 of "+-+---------------- 1 ----------------", or empty.
std::string_view memberOfGroup(std::string_view text) {
  constexpr std::string_view kBorder = "---- ";
  if (!text.starts_with('+') || !text.ends_with("----")) {
    return {};
  }
  const std::size_t at = text.find(kBorder);
  const std::string_view number = at == std::string_view::npos
                                      ? std::string_view{}
                                      : before(text.substr(at + kBorder.size()), " ");
  return isAllDigits(number) || number == "..." ? number : std::string_view{};
}

// gdb: the 7 of "Thread 7 (Thread 0x7f1a (LWP 123)):", or empty.
std::string_view debuggedThread(std::string_view text) {
  if (!consume(text, "Thread ") || !text.ends_with("):")) {
    return {};
  }
  const std::string_view number = before(text, " ");
  return isAllDigits(number) ? number : std::string_view{};
}

class TraceReader {
 public:
  explicit TraceReader(std::size_t maxFrames) : maxFrames_(maxFrames) { open(Place::innermost); }

  void read(std::string_view trace, bool cut) {
    hasLines_ = trace.contains('\n');
    std::string_view line = takeLine(trace);
    for (bool more = true; more && !ended_;) {
      more = !trace.empty();
      const std::string_view next = takeLine(trace);
      if (more || !cut) {
        takeLine(line, next);
      }
      line = next;
    }
  }

  std::vector<TraceSection> finish(bool cut) {
    std::vector<TraceSection> result;
    for (const std::size_t index : order_) {
      Section& section = sections_[index];
      std::vector<std::string>& frames = section.read.frames;
      if (frames.empty() && !section.bridge.empty()) {
        frames.push_back(std::move(section.bridge));
      }
      if (section.oldestFirst) {
        // Truncation removed the frame of the fault. Where it fell depends on the length of the
        // message, so only the frames common to all such traces are kept: the oldest.
        if (cut && frames.size() > maxFrames_) {
          frames.resize(maxFrames_);
        }
        std::ranges::reverse(frames);
        foldRecursion(frames);
      }
      frames.resize(std::min(frames.size(), maxFrames_));
      result.push_back(std::move(section.read));
    }
    return result;
  }

 private:
  struct Section {
    TraceSection read;
    std::string bridge;  // used as the only frame if there is no other
    bool oldestFirst = false;
    bool ended = false;  // the following frames are not the fault's own stack
  };

  enum class Place { innermost, outermost };

  static std::string_view takeLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return withoutLogPrefix(line);
  }

  Section& current() { return sections_[current_]; }

  void open(Place place) {
    if (sections_.size() == kMaxSections) {
      ended_ = true;
      return;
    }
    current_ = sections_.size();
    sections_.emplace_back();
    const auto outermost = order_.begin() + static_cast<std::ptrdiff_t>(outermost_);
    order_.insert(place == Place::outermost ? outermost : order_.end(), current_);
  }

  void openCause(std::string_view thrown) {
    open(Place::innermost);
    name(leadingClass(thrown));
  }

  void name(std::string_view exceptionClass) {
    if (current().read.exceptionClass.empty()) {
      current().read.exceptionClass = cleanName(exceptionClass);
    }
  }

  void takeLine(std::string_view line, std::string_view next) {
    line = withoutPrefix(line, prefix_);
    const bool barred = consumeBars(line);
    std::string_view text = trimmedLine(line);
    consume(text, "! ");  // Dropwizard's prefix of trace lines
    const std::size_t indent = line.size() - withoutIndent(line).size();
    if (isOfOtherMember(text, barred)) {
      return;
    }
    if (text.empty()) {
      listsCauses_ = false;
      return;
    }
    if (belongsToFrame(text, indent) || isSuppressed(text, indent)) {
      return;
    }
    // Thousands of one-character lines would cost more than any real trace.
    if (text.size() < kShortestFrame) {
      if (!listsCauses_) {
        takeThrown(text, indent);
      }
      return;
    }
    consumeBars(next);
    if (takeBoundary(text, indent) || takeCause(text) || takeFrame(text, indent, next)) {
      return;
    }
    if (hasLines_ && prefix_.empty()) {
      prefix_ = prefixOfFrame(line);
      if (!prefix_.empty()) {
        takeLine(line, next);
        return;
      }
    }
    takeThrown(text, indent);
  }

  // Only the first exception of a group counts: how many tasks failed with it is chance. It is a
  // cause of the group, but its causes are not causes of the exception that the group is part of.
  bool isOfOtherMember(std::string_view text, bool barred) {
    const std::string_view member = memberOfGroup(text);
    if (member == "1" && !skipsMembers_) {
      outermost_ = order_.size();
      open(Place::innermost);
    } else if (!member.empty()) {
      skipsMembers_ = true;
    } else if (!barred && !text.starts_with('+')) {
      skipsMembers_ = false;
      outermost_ = 0;
    }
    return skipsMembers_ || !member.empty();
  }

  bool belongsToFrame(std::string_view text, std::size_t indent) {
    const FrameTail tail = tail_;
    // The sanitiser removes the indentation of the first line, so a frame may be indented deeper.
    const bool isSource =
        tail == FrameTail::source && indent > tailIndent_ && !parsePythonFrame(text);
    const bool isSpan = tail == FrameTail::atLine && text.starts_with("with ");
    if (isSource || isSpan) {
      return true;
    }
    tail_ = FrameTail::none;
    return tail == FrameTail::nextLine || (tail == FrameTail::atLine && text.starts_with("at "));
  }

  // Java indents suppressed exceptions and, equally deep, their causes. If a client trims lines,
  // the next cause ends them.
  bool isSuppressed(std::string_view text, std::size_t indent) {
    if (text.starts_with("Suppressed: ")) {
      suppressedIndent_ = indent;
      return true;
    }
    if (text.starts_with("---> (Inner Exception #")) {
      skipsInner_ = true;
    }
    if (skipsInner_) {
      skipsInner_ = !text.ends_with("<---");
      return true;
    }
    if (!suppressedIndent_) {
      return false;
    }
    const bool ends =
        text.starts_with("Caused by: ") && (indent < *suppressedIndent_ || *suppressedIndent_ == 0);
    if (ends) {
      suppressedIndent_.reset();
    }
    return !ends;
  }

  bool takeBoundary(std::string_view text, std::size_t indent) {
    if (text.starts_with("Traceback (most recent call last)")) {
      current().oldestFirst = true;
      return true;
    }
    if (text.starts_with("goroutine ") && text.ends_with("]:")) {
      // The goroutine that panicked comes first; the state of the others is chance.
      ended_ = sawGoroutine_;
      sawGoroutine_ = true;
      return true;
    }
    if (const std::string_view thread = debuggedThread(text); !thread.empty()) {
      // The thread that failed is the first in a core file, and printed last.
      current().ended = thread != "1" && !current().read.frames.empty();
      if (thread == "1") {
        current().read.frames.clear();
      }
      return true;
    }
    // .NET indents this line, in any language, but not the one of an awaited task.
    if (text.starts_with("--- End of inner exception stack trace") ||
        (indent > 0 && text.starts_with("--- ") && text.ends_with(" ---") &&
         !text.starts_with("--- End of stack trace"))) {
      if (!enclosing_.empty()) {
        current_ = enclosing_.back();
        enclosing_.pop_back();
      }
      return true;
    }
    if (text == "Caused by:") {
      listsCauses_ = true;
      return true;
    }
    return listsCauses_ || (text.starts_with("--- ") && text.ends_with("---")) ||
           text.starts_with("... ") || text.starts_with("[Previous line repeated");
  }

  bool takeCause(std::string_view text) {
    constexpr std::array<std::string_view, 4> kOuterFollows = {
        "During handling of the above exception", "The above exception was the direct cause",
        "Wrapped by: ", "Next "};
    constexpr std::array<std::string_view, 4> kInnerFollows = {
        "Caused by: ", "[cause]: ", "caused by: ", "[previous exception] [object] ("};
    if (text.contains("---> ")) {
      return takeArrows(text);
    }
    for (const std::string_view words : kInnerFollows) {
      if (std::string_view thrown = text; consume(thrown, words)) {
        openCause(thrown);
        return true;
      }
    }
    for (const std::string_view words : kOuterFollows) {
      std::string_view thrown = text;
      if (consume(thrown, words) && (words != "Next " || !thrownClass(thrown).empty())) {
        open(Place::outermost);
        if (words.ends_with(' ')) {
          name(leadingClass(thrown));
        }
        return true;
      }
    }
    return false;
  }

  // .NET: "Outer: message ---> Inner: message", followed by the frames of the inner exception
  // first.
  bool takeArrows(std::string_view text) {
    constexpr std::string_view kArrow = "---> ";
    takeThrown(before(text, kArrow), 0);
    for (std::size_t at = text.find(kArrow); at != std::string_view::npos && !ended_;
         at = text.find(kArrow, at + 1)) {
      const std::string_view thrown = thrownClass(text.substr(at + kArrow.size()));
      if (!thrown.empty()) {
        enclosing_.push_back(current_);
        openCause(thrown);
      }
    }
    return true;
  }

  bool takeFrame(std::string_view text, std::size_t indent, std::string_view next) {
    const std::optional<RawFrame> frame = parseFrame(text, next);
    if (!frame) {
      return false;
    }
    tail_ = frame->tail;
    tailIndent_ = indent;
    if (frame->opensCause) {
      // Ruby puts the class in brackets at the end of a line that is also the first frame.
      if (!current().read.frames.empty() && !current().oldestFirst) {
        open(Place::innermost);
      }
      const std::size_t bracket = text.rfind('(');
      if (bracket != std::string_view::npos) {
        name(leadingClass(text.substr(bracket + 1)));
      }
    }
    current().ended = current().ended || (frame->startsStack && !current().read.frames.empty());
    current().oldestFirst = current().oldestFirst || frame->oldestFirst;
    if (current().ended || isFull()) {
      return true;
    }
    if (std::string normalised = frameText(*frame); frame->isBridge) {
      current().bridge = std::move(normalised);
    } else if (!normalised.empty() && !takeShortBacktrace(normalised)) {
      std::vector<std::string>& frames = current().read.frames;
      if (current().oldestFirst) {
        frames.push_back(std::move(normalised));
      } else {
        appendFolded(frames, std::move(normalised));
      }
    }
    return true;
  }

  // If a trace begins with the frame of the fault, only `maxFrames_` frames are needed, plus those
  // that folding a cycle may remove.
  bool isFull() {
    return !current().oldestFirst && current().read.frames.size() >= maxFrames_ + (2 * kMaxCycle);
  }

  // Rust prints a trace between these two lines, unless a full backtrace is requested.
  bool takeShortBacktrace(std::string_view frame) {
    if (frame.ends_with("::__rust_end_short_backtrace")) {
      current().read.frames.clear();
      return true;
    }
    current().ended = frame.ends_with("::__rust_begin_short_backtrace");
    return current().ended;
  }

  // Python names the exception after the frames, all others before them.
  void takeThrown(std::string_view text, std::size_t indent) {
    const bool known = !current().read.exceptionClass.empty();
    if (!known && current().read.frames.empty() != current().oldestFirst && indent == 0) {
      name(thrownClass(text));
    }
  }

  std::size_t maxFrames_;
  std::vector<Section> sections_;
  std::vector<std::size_t> order_;      // outermost first
  std::size_t outermost_ = 0;           // index in it where the causes of a group member begin
  std::vector<std::size_t> enclosing_;  // .NET: sections whose frames follow the inner ones
  std::size_t current_ = 0;
  FrameTail tail_ = FrameTail::none;
  std::size_t tailIndent_ = 0;
  std::optional<std::size_t> suppressedIndent_;
  bool hasLines_ = false;
  std::string_view prefix_;  // a logger's prefix of each line
  bool skipsMembers_ = false;
  bool skipsInner_ = false;
  bool listsCauses_ = false;  // Rust's "Caused by:" is followed by numbered messages
  bool sawGoroutine_ = false;
  bool ended_ = false;
};

bool hasFrame(const std::vector<TraceSection>& sections) {
  return std::ranges::any_of(sections,
                             [](const TraceSection& section) { return !section.frames.empty(); });
}

}  // namespace

std::vector<TraceSection> readTrace(std::string_view trace, std::size_t maxFrames) {
  const bool cut = isCut(trace);
  const auto sectionsOf = [maxFrames, cut](std::string_view text) {
    TraceReader reader(maxFrames);
    reader.read(text, cut);
    return reader.finish(cut);
  };
  const std::string unescaped = unescapedTrace(trace);
  const std::string_view text = unescaped.empty() ? trace : unescaped;
  std::vector<TraceSection> sections = sectionsOf(text);
  if (!hasFrame(sections) && !text.contains('\n')) {
    std::vector<TraceSection> broken = sectionsOf(brokenIntoLines(text));
    return hasFrame(broken) ? broken : sections;
  }
  return sections;
}

}  // namespace auth_errors::domain
