// A trace as its runtime printed it, when a client or a logger has escaped it or put it on one
// line. Pure functions: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// With the signs that entities of HTML stand for and, in a text of one line, those that escapes of
// JSON stand for, above all its newlines. Empty if there are none: the text may be read as it is.
std::string unescapedTrace(std::string_view trace);

// A text of one line, broken before each frame and cause.
std::string brokenIntoLines(std::string_view trace);

}  // namespace auth_errors::domain
