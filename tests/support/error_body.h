// The JSON body of POST /api/auth-errors as clients send it. A plain value; the defaults are valid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace auth_errors::tests {

struct ErrorBody {
  std::string requestId;
  std::string occurredAt = "2026-01-05T10:15:30Z";
  int httpStatus = 401;
  std::string exceptionClass = "org.example.security.BadCredentialsException";
  std::string stacktrace =
      "org.example.security.BadCredentialsException: refused\n\tat a.B.c(B.java:1)";

  [[nodiscard]] std::string json() const;
};

// A stack trace of about `bytes` bytes whose frames depend only on `salt`.
std::string makeStacktrace(std::size_t bytes, std::size_t salt);

// Quoted and escaped for JSON; bytes from 0x80 on are copied.
std::string jsonString(std::string_view text);

}  // namespace auth_errors::tests
