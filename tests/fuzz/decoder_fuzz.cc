// For any body, reading, decoding and accepting it never crashes, and an accepted error respects
// every limit and contains no secret that the scrubber recognises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "controllers/errors/auth_error_request.h"
#include "domain/errors/submission.h"
#include "domain/values/utf8.h"
#include "platform/encoding/json_reader.h"
#include "tests/fuzz/require.h"

namespace {

using namespace auth_errors;
using fuzz::require;

void requireAcceptable(const domain::AcceptedError& error) {
  require(error.httpStatus >= 100 && error.httpStatus <= 599);
  for (const domain::TextRule& rule : domain::kTextRules) {
    const auto& text = error.text(rule.field);
    require(text.has_value() || !rule.required);
    if (!text) {
      continue;
    }
    require(!text->empty());
    require(domain::isValidUtf8(*text));
    require(domain::countCodePoints(*text) <= rule.limit);
    if (rule.cleaning == domain::Cleaning::sanitise) {
      require(domain::scrub(*text, {}).text == *text);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto json = encoding::readJson(body);
  if (!json || !json->isObject()) {
    return 0;
  }
  controllers::DecodedSubmission decoded = controllers::decodeSubmission(*json);
  const domain::Instant now{};
  const auto accepted = domain::accept(std::move(decoded.submission), now, decoded.problems, {});
  require(accepted.has_value() || !accepted.error().empty());
  if (accepted) {
    requireAcceptable(*accepted);
  }
  return 0;
}
