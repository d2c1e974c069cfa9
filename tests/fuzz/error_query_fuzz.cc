// Any query is either refused with named problems, or has only values that PostgreSQL accepts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/errors/error_query.h"
#include "controllers/http/page_query.h"
#include "domain/values/utf8.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  using namespace auth_errors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = controllers::errorQueryFromAddress(text, controllers::kMaxPageRows);
  if (!query) {
    require(!query.error().empty());
    require(std::ranges::all_of(query.error(), [](const controllers::FieldError& problem) {
      return domain::isValidUtf8(problem.field) && !problem.code.empty();
    }));
    return 0;
  }
  const triage::ErrorFilter& filter = query->filter;
  for (const std::optional<std::string>& value :
       {filter.exceptionClass, filter.serviceName, filter.environment, filter.stackHash,
        filter.messagePart}) {
    require(!value || (!value->empty() && !value->contains('\0') && domain::isValidUtf8(*value)));
  }
  require(!query->limit || (*query->limit > 0 && *query->limit <= controllers::kMaxPageRows));
  require(!query->before || query->before->value() > 0);
  require(!filter.from || !filter.to || *filter.from < *filter.to);
  return 0;
}
