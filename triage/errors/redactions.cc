#include "triage/errors/redactions.h"

#include <cstdint>

#include "platform/encoding/json_writer.h"

namespace auth_errors::triage {

std::optional<std::string> redactionsJson(const domain::RedactionCounts& counts) {
  if (counts.total() == 0) {
    return std::nullopt;
  }
  std::string json;
  encoding::JsonObjectWriter object(json);
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (const std::uint32_t count = counts.of(row.kind); count > 0) {
      object.write(row.label, count);
    }
  }
  object.close();
  return json;
}

}  // namespace auth_errors::triage
