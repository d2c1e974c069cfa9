// Stack frame syntax of each language: one parser per syntax behind one function. Pure functions on
// views; usable from any thread; linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

// Lines after a frame that belong to it.
enum class FrameTail : std::uint8_t {
  none,
  atLine,    // Rust: "at src/login.rs:42" may follow
  nextLine,  // Go: the next line is the frame's position
  source,    // Python: lines with deeper indentation are its source
};

// A line's frame, as views into it. Either of function and file may be empty.
struct RawFrame {
  std::string_view function;
  std::string_view file;
  std::string_view gem =
      {};  // Rails names a library's gem beside the file: "devise (4.9.2) lib/x.rb"
  FrameTail tail = FrameTail::none;
  bool oldestFirst = false;  // the last frame of the trace is where the fault occurred
  bool opensCause = false;   // the line also names the exception: another trace begins
  bool startsStack = false;  // C++: the first frame of a stack; a report may have several
  bool isBridge = false;     // only calls the frame above, and some runtimes omit it
};

inline constexpr std::size_t kShortestFrame = 3;  // Go's "a.b"

// `line` is trimmed; `next` is the whole following line, which Go and Rust need.
std::optional<RawFrame> parseFrame(std::string_view line, std::string_view next);

// "login (auth/views.py)", "com.acme.Login.check" or "(auth/login.js)"; empty if the frame has
// neither part. Prefixed with "at ", the text parses as the same frame.
std::string frameText(const RawFrame& frame);

// The parsers, one per syntax. Each is given a line that begins like its syntax. JVM, .NET, V8,
// Kotlin/Native: "at …". Translated: localised .NET, "bei …". Unity: "A.f () (at f.cs:3)". Web:
// Firefox and Safari, "f@https://…". Inlined: Rust frames without a number. Debugger: gdb, the
// sanitizers, Android and backward-cpp, "#0 0x… in f". Library: Boost and std::stacktrace, "0# f".
// Glibc: "./app(f+0x1d) [0x…]". CrashReport: Windows, "00 … app!f+0x1d", and macOS, "0 app 0x… f +
// 29". Lldb: "frame #0: 0x… app`f at f.cc:4". Address: glog and Abseil, "@ 0x… f". Valgrind:
// "==17== at 0x…: f (f.cc:4)". Xdebug: "PHP   2. f() /app/f.php:3".
std::optional<RawFrame> parseAtFrame(std::string_view line);
std::optional<RawFrame> parseTranslatedFrame(std::string_view line);
std::optional<RawFrame> parseUnityFrame(std::string_view line);
std::optional<RawFrame> parseWebFrame(std::string_view line);
std::optional<RawFrame> parsePythonFrame(std::string_view line);
std::optional<RawFrame> parseRubyFrame(std::string_view line);
std::optional<RawFrame> parsePhpFrame(std::string_view line);
std::optional<RawFrame> parseXdebugFrame(std::string_view line);
std::optional<RawFrame> parseGoFrame(std::string_view line, std::string_view next);
std::optional<RawFrame> parseRustFrame(std::string_view line);
std::optional<RawFrame> parseInlinedRustFrame(std::string_view line, std::string_view next);
std::optional<RawFrame> parseDebuggerFrame(std::string_view line);
std::optional<RawFrame> parseLibraryFrame(std::string_view line);
std::optional<RawFrame> parseGlibcFrame(std::string_view line);
std::optional<RawFrame> parseCrashReportFrame(std::string_view line);
std::optional<RawFrame> parseLldbFrame(std::string_view line);
std::optional<RawFrame> parseAddressFrame(std::string_view line);
std::optional<RawFrame> parseValgrindFrame(std::string_view line);

}  // namespace auth_errors::domain
