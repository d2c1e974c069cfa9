// Reads values from the text of /metrics. Pure; any thread.
#pragma once

#include <format>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::tests {

// The value of a line "name{labels} value"; nullopt if the series is missing.
inline std::optional<double> metricIn(std::string_view text, std::string_view series) {
  const auto at = text.find(std::format("\n{} ", series));
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return std::stod(std::string(text.substr(at + series.size() + 2, 32)));
}

}  // namespace auth_errors::tests
