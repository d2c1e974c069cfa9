#include "domain/event_descriptor.h"

#include <format>

namespace auth_errors::domain {

std::string EventDescriptor::idempotencyKey(std::int64_t authErrorId) const {
  return std::format("{}{}", keyPrefix, authErrorId);
}

}  // namespace auth_errors::domain
