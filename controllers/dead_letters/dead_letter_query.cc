#include "controllers/dead_letters/dead_letter_query.h"

#include <cstdint>
#include <utility>

#include "domain/errors/dead_letter.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"

namespace auth_errors::controllers {

std::expected<DeadLetterQuery, std::vector<FieldError>> deadLetterQueryFromAddress(
    std::string_view query) {
  ParameterReader reader(query);
  DeadLetterQuery result;
  triage::DeadLetterFilter& filter = result.filter;
  for (const auto& [name, value] : reader.parameters()) {
    if (name == "status") {
      reader.take(filter.status, readName(name, value, domain::kDeadLetterStatusNames));
    } else if (name == "source") {
      reader.take(filter.source, readName(name, value, domain::kDeadLetterSourceNames));
    } else if (name == "reason") {
      reader.take(filter.reason, readName(name, value, domain::kDeadLetterReasonNames));
    } else if (name == "eventType") {
      reader.take(filter.eventType, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "authErrorId") {
      reader.take(filter.authErrorId, readId<domain::ErrorId>(name, value));
    } else if (name == "from") {
      reader.take(filter.from, readInstant(name, value));
    } else if (name == "to") {
      reader.take(filter.to, readInstant(name, value));
    } else if (name == kLimitParameter) {
      reader.takeLimit(result.page.limit, value);
    } else if (name == kCursorParameter) {
      reader.take(result.page.before, readCursor(PagedList::deadLetters, value));
    } else {
      reader.refuseUnknown(name);
    }
  }
  reader.requireOrder(filter.from, filter.to);
  return reader.answer(std::move(result));
}

}  // namespace auth_errors::controllers
