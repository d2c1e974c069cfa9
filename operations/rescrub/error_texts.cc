#include "operations/rescrub/error_texts.h"

#include <cstddef>
#include <utility>

namespace auth_errors::rescrub {

ScrubbedError rescrubbed(const StoredTexts& stored) {
  const auto identifier = [&stored](domain::TextField field) {
    return stored.at(static_cast<std::size_t>(field)).value_or("");
  };
  domain::ScrubContext context{.userId = identifier(domain::TextField::userId),
                               .sessionId = identifier(domain::TextField::sessionId),
                               .clientIp = identifier(domain::TextField::clientIp)};
  ScrubbedError result;
  for (const domain::TextRule& rule : domain::kTextRules) {
    const auto place = static_cast<std::size_t>(rule.field);
    const std::optional<std::string_view>& text = stored.at(place);
    if (!text || !domain::isScrubbed(rule)) {
      continue;
    }
    context.named = rule.cleaning == domain::Cleaning::name;
    domain::SanitisedText sanitised = domain::sanitise(*text, rule.limit, context);
    if (sanitised.text == *text) {
      continue;
    }
    result.texts.at(place) =
        std::move(sanitised.text)
            .value_or(std::string(domain::markerOf(domain::RedactionKind::wholeText)));
    result.counts.add(sanitised.counts);
    result.changed = true;
  }
  return result;
}

}  // namespace auth_errors::rescrub
