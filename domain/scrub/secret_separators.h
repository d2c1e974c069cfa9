// Separators between a label and its value: the signs and words of configurations, JSON, XML,
// tables and sentences. Pure functions: any thread. Each reads a bounded part of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/scrub/text.h"

namespace auth_errors::domain {

enum class Style : std::uint8_t {
  assigned,   // password=x, "password":"x", <password>x</password>
  stated,     // password: x
  argument,   // --password x
  predicate,  // the password is x
  adjacent,   // password 'x'
  following,  // password x
  distant,    // password for user bob: x
  cell,       // | password | x |
};

struct Separator {
  Style style = Style::assigned;
  std::size_t valueAt = 0;
  bool labelQuoted = false;
  bool percentEncoded = false;
  bool element = false;    // an XML element: the value ends at the next tag
  bool wholeLine = false;  // a form field: the value is the line
};

// The separator after the label [labelAt, end), or nullopt if no value can follow.
std::optional<Separator> separatorAfter(const Scan& scan, std::size_t labelAt, std::size_t end);

// Length of a table cell's border next to '|'. 0 if there is none.
std::size_t cellBorderLengthAt(std::string_view text, std::size_t at);

}  // namespace auth_errors::domain
