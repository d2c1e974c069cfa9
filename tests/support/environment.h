// Reads environment variables. Thread-safe, since no test writes them.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace auth_errors::tests {

inline std::optional<std::string> environmentVariable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Throws on an invalid number: a misspelled count must not run the short version.
template <std::integral Number>
Number numberFromEnvironment(const char* name, Number otherwise) {
  const auto text = environmentVariable(name);
  if (!text) {
    return otherwise;
  }
  Number number{};
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    throw std::runtime_error(std::string(name) + " is not a number: " + *text);
  }
  return number;
}

}  // namespace auth_errors::tests
