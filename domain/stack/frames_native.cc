// Frames of Go and Rust.
#include "domain/stack/frames.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kCreatedBy = "created by ";

// "\t/app/main.go:42 +0x1d"; a client may have trimmed the line.
bool isGoPlace(std::string_view line) {
  const std::string_view place = trimmedLine(line);
  const bool onDrive = place.size() > 2 && place[1] == ':' && (place[2] == '/' || place[2] == '\\');
  if (place.size() == line.size() && !place.starts_with('/') && !onDrive) {
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

// "github.com/acme/shop/vendor/github.com/gin-gonic/gin.New": the package has the same name without
// the vendor folder.
std::string_view withoutVendorFolder(std::string_view function) {
  constexpr std::string_view kVendor = "/vendor/";
  const std::size_t vendor = function.rfind(kVendor);
  return vendor == std::string_view::npos ? function : function.substr(vendor + kVendor.size());
}

// Names contain blanks only inside the brackets of their types.
bool isName(std::string_view text) {
  bool blank = false;
  forEachOuterBlank(text, [&blank](std::size_t) {
    blank = true;
    return false;
  });
  return !text.empty() && !blank;
}

// gin and go-errors: "/app/login.go:42 (0x4a1b2c)" followed by "\tLogin: return check(user)".
std::optional<RawFrame> parseGoPlaceFrame(std::string_view line, std::string_view next) {
  if (!line.ends_with(')')) {
    return std::nullopt;
  }
  const std::string_view place = before(line, " (0x");
  const std::string_view file = withoutPosition(place);
  const std::string_view function = before(trimmedLine(next), ": ");
  if (place.size() == line.size() || file.size() == place.size() || !file.ends_with(".go") ||
      !isName(function)) {
    return std::nullopt;
  }
  return RawFrame{.function = function, .file = file, .tail = FrameTail::nextLine};
}

}  // namespace

std::optional<RawFrame> parseGoFrame(std::string_view line, std::string_view next) {
  if (const auto frame = parseGoPlaceFrame(line, next)) {
    return frame;
  }
  const bool created = consume(line, kCreatedBy);
  if (!isGoPlace(next)) {
    return std::nullopt;
  }
  line = created ? before(line, " in goroutine ") : line;
  const std::string_view function = line.ends_with(')') ? line.substr(0, line.rfind('(')) : line;
  if (!isName(function)) {
    return std::nullopt;
  }
  return RawFrame{
      .function = withoutVendorFolder(function), .file = {}, .tail = FrameTail::nextLine};
}

std::optional<RawFrame> parseInlinedRustFrame(std::string_view line, std::string_view next) {
  std::string_view place = trimmedLine(next);
  if (!line.contains("::") || !consume(place, "at ") || !place.contains(".rs:")) {
    return std::nullopt;
  }
  return parseRustFrame(line);
}

std::optional<RawFrame> parseRustFrame(std::string_view line) {
  consumeAddress(line);
  if (!isName(line)) {
    return std::nullopt;
  }
  return RawFrame{.function = line, .file = {}, .tail = FrameTail::atLine};
}

}  // namespace auth_errors::domain
