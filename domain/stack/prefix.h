// What stands before the lines of a trace and is not part of it: a logger's words, a collector's,
// and bars that are drawn beside it. Pure functions: any thread, linear.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// Without what a logger or a collector of logs put before it: the time, then its own words,
// "2026-01-02T03:04:05.678Z stderr F \tat com.acme.Login.check(Login.java:42)".
std::string_view withoutLogPrefix(std::string_view line);

// What stands before a frame that its own indentation sets apart: what other loggers put before
// each line, "E AndroidRuntime: \tat com.acme.Login.check(Login.java:42)". Empty if there is no
// such frame.
std::string_view prefixOfFrame(std::string_view line);

// Without a prefix that differs from the one of another line at most in its digits.
std::string_view withoutPrefix(std::string_view line, std::string_view prefix);

// Takes off bars as they are drawn beside the lines of Python's groups of exceptions and of errors
// in Go. False if there are none.
bool consumeBars(std::string_view& line);

}  // namespace auth_errors::domain
