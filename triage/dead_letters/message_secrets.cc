#include "triage/dead_letters/message_secrets.h"

#include <algorithm>
#include <string>

#include "domain/scrub/sanitiser.h"

namespace auth_errors::triage {

bool showsSecrets(std::string_view body) {
  std::string spaced(body);
  std::ranges::replace_if(
      spaced, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  const auto redactions = [](std::string_view text) {
    return domain::sanitise(text, domain::kMaxStacktraceCodePoints, {}).counts.total();
  };
  return redactions(body) > 0 || redactions(spaced) > 0;
}

}  // namespace auth_errors::triage
