// How a value stands behind its label: the signs and words between them, and where it begins and
// ends. Pure functions: any thread. Each reads a bounded part of the text or no more than the
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "domain/scrub_text.h"

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
  Style style;
  std::size_t valueAt;
  bool labelQuoted = false;
  bool percentEncoded = false;
  bool element = false;    // an XML element: the value ends at the next tag
  bool wholeLine = false;  // a form's field: the value is the line
};

struct Value {
  std::size_t begin;
  std::size_t end;
  bool quoted;  // it has a clear end, so that it may hold blanks
};

// What stands behind the label [labelAt, end), or nullopt if no value can follow.
std::optional<Separator> separatorAfter(const Scan& scan, std::size_t labelAt, std::size_t end);

// nullopt if there is no value, or if it is already redacted.
std::optional<Value> valueOf(const Scan& scan, const Separator& separator);

}  // namespace auth_errors::domain
