// Removes prefixes that are not part of a trace: those of a logger or a log collector, and bars
// drawn beside the lines. Pure functions: any thread, linear.
#pragma once

#include <string_view>

namespace auth_errors::domain {

// Removes the prefix of a logger or a log collector: the time and what follows it,
// "2026-01-02T03:04:05.678Z stderr F \tat com.acme.Login.check(Login.java:42)".
std::string_view withoutLogPrefix(std::string_view line);

// The prefix of a frame that is recognised by its own indentation, as other loggers print it: "E
// AndroidRuntime: \tat com.acme.Login.check(Login.java:42)". Empty if there is no such frame.
std::string_view prefixOfFrame(std::string_view line);

// Removes the prefix, or one that differs from it only in its digits.
std::string_view withoutPrefix(std::string_view line, std::string_view prefix);

// Removes the bars beside the lines of Python's exception groups and of Go errors. False if there
// are none.
bool consumeBars(std::string_view& line);

}  // namespace auth_errors::domain
