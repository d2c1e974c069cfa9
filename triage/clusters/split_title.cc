#include "triage/clusters/split_title.h"

#include <format>

#include "domain/stack/stack_hash.h"
#include "domain/values/utf8.h"

namespace auth_errors::clusters {
namespace {

// Leaves more than half to the old title.
constexpr std::size_t kMaxSplitByCodePoints = 120;
constexpr std::size_t kBrackets = 3;  // " (" and ")"

}  // namespace

std::string describe(const triage::ErrorMatch& match) {
  std::string text;
  const auto append = [&text](std::string_view what, const auto& value) {
    if (value) {
      text += std::format("{}{} {}", text.empty() ? "" : ", ", what, *value);
    }
  };
  append("exception", match.exceptionClass);
  append("status", match.httpStatus);
  append("service", match.serviceName);
  append("environment", match.environment);
  append("message", match.message);
  return text;
}

std::string splitTitle(std::string_view title, std::string_view splitBy) {
  const std::string_view by = domain::firstCodePoints(splitBy, kMaxSplitByCodePoints);
  const std::size_t left = domain::kMaxTitleCodePoints - domain::countCodePoints(by) - kBrackets;
  return std::format("{} ({})", domain::firstCodePoints(title, left), by);
}

}  // namespace auth_errors::clusters
