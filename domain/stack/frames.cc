#include "domain/stack/frames.h"

#include "domain/stack/names.h"
#include "domain/stack/paths.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

std::optional<RawFrame> parseNumberedFrame(std::string_view line) {
  const std::size_t digits = runEnd(line, 0, kDigitChar);
  if (digits >= line.size()) {
    return std::nullopt;
  }
  if (line[digits] == '#') {
    return parseLibraryFrame(line);
  }
  if (line[digits] == '>' || isBlank(line[digits])) {
    if (const auto frame = parseXdebugFrame(line)) {
      return frame;
    }
    return parseCrashReportFrame(line);
  }
  if (line[digits] == '.') {
    return parseXdebugFrame(line);
  }
  if (line[digits] != ':') {
    return std::nullopt;
  }
  const std::string_view rest = withoutIndent(line.substr(digits + 1));
  return rest.starts_with("from ") ? parseRubyFrame(rest) : parseRustFrame(rest);
}

std::string placeOf(const RawFrame& frame) {
  std::string place;
  if (frame.gem.empty()) {
    appendPlace(place, frame.file);
    return place;
  }
  std::string path = "gems/";
  path.append(frame.gem).append("/").append(frame.file);
  appendPlace(place, path);
  return place;
}

}  // namespace

std::optional<RawFrame> parseFrame(std::string_view line, std::string_view next) {
  if (line.size() < kShortestFrame) {
    return std::nullopt;
  }
  switch (line.front()) {
    case '#':
      if (const auto frame = parsePhpFrame(line)) {
        return frame;
      }
      return parseDebuggerFrame(line);
    case 'a':
      if (const auto frame = parseAtFrame(line)) {
        return frame;
      }
      break;
    case 'F':
    case '>':
      if (const auto frame = parsePythonFrame(line)) {
        return frame;
      }
      break;
    case '@':
      return line.starts_with("@ ") ? parseAddressFrame(line) : parseWebFrame(line);
    case '*':
    case 'f':
      if (const auto frame = parseLldbFrame(line)) {
        return frame;
      }
      break;
    case '=':
      return parseValgrindFrame(line);
    case 'P':
      if (const auto frame = parseXdebugFrame(line)) {
        return frame;
      }
      break;
    default:
      if (isDigit(line.front())) {
        if (const auto frame = parseNumberedFrame(line)) {
          return frame;
        }
      }
      break;
  }
  if (const auto frame = parseGoFrame(line, next)) {
    return frame;
  }
  if (const auto frame = parseInlinedRustFrame(line, next)) {
    return frame;
  }
  if (const auto frame = parseTranslatedFrame(line)) {
    return frame;
  }
  if (const auto frame = parseUnityFrame(line)) {
    return frame;
  }
  if (const auto frame = parseRubyFrame(line)) {
    return frame;
  }
  if (const auto frame = parseGlibcFrame(line)) {
    return frame;
  }
  return parseWebFrame(line);
}

std::string frameText(const RawFrame& frame) {
  std::string text = cleanName(frame.function);
  if (isPlumbing(text)) {
    return {};
  }
  const std::string place = placeOf(frame);
  if (!place.empty()) {
    text += text.empty() ? "(" : " (";
    text += place;
    text += ')';
  }
  return text;
}

}  // namespace auth_errors::domain
