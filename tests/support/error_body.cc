#include "tests/support/error_body.h"

#include <format>

namespace auth_errors::tests {

std::string jsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    switch (character) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(character) < 0x20) {
          quoted += std::format("\\u{:04x}", static_cast<unsigned>(character));
        } else {
          quoted += character;
        }
    }
  }
  quoted += '"';
  return quoted;
}

std::string ErrorBody::json() const {
  return std::format(
      R"({{"requestId":{},"occurredAt":{},"httpStatus":{},"exceptionClass":{},"stacktrace":{}}})",
      jsonString(requestId), jsonString(occurredAt), httpStatus, jsonString(exceptionClass),
      jsonString(stacktrace));
}

std::string makeStacktrace(std::size_t bytes, std::size_t salt) {
  std::string trace = "org.example.security.BadCredentialsException: refused";
  for (std::size_t frame = 0; trace.size() < bytes; ++frame) {
    trace += std::format("\n\tat org.example.layer{}.Filter{}.doFilter(Filter{}.java:{})",
                         (salt + frame) % 7, (salt * 31 + frame) % 97, frame, 10 + frame);
  }
  return trace;
}

}  // namespace auth_errors::tests
