#include "domain/events/event_descriptor.h"

#include <format>

namespace auth_errors::domain {

std::string EventDescriptor::idempotencyKey(ErrorId authErrorId, std::int32_t round) const {
  return round < 2 ? std::format("{}{}", keyPrefix, authErrorId)
                   : std::format("{}{}:{}", keyPrefix, authErrorId, round);
}

}  // namespace auth_errors::domain
