// Restores a trace to the form its runtime printed, if a client or a logger escaped it or put it on
// one line. Pure functions: any thread, linear.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::domain {

// Replaces HTML entities and, in a text of one line, JSON escapes, most importantly newlines. Empty
// if there are none and the text can be read as it is.
std::string unescapedTrace(std::string_view trace);

// A text of one line, broken before each frame and cause.
std::string brokenIntoLines(std::string_view trace);

}  // namespace auth_errors::domain
