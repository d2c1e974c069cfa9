#include "triage/errors/redactions.h"

#include <cstdint>
#include <format>

namespace auth_errors::triage {

// Labels are constants that need no escaping.
std::optional<std::string> redactionsJson(const domain::RedactionCounts& counts) {
  if (counts.total() == 0) {
    return std::nullopt;
  }
  std::string json;
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = counts.of(row.kind); count > 0) {
      json += std::format(R"({}"{}":{})", json.empty() ? "{" : ",", row.label, count);
    }
  }
  return json + "}";
}

}  // namespace auth_errors::triage
