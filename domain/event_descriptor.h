// The contract of each event: its type, and the key that makes it unique. Producer and consumer
// share it. Keys are built from the AuthError's id, never from a request id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auth_errors::domain {

inline constexpr std::string_view kAuthErrorAggregate = "auth_error";

struct EventDescriptor {
  std::string_view aggregateType;
  std::string_view eventType;
  std::string_view keyPrefix;

  [[nodiscard]] std::string idempotencyKey(std::int64_t authErrorId) const;
};

inline constexpr EventDescriptor kRecorded{.aggregateType = kAuthErrorAggregate,
                                           .eventType = "auth.error.recorded.v1",
                                           .keyPrefix = "auth_error:recorded:"};

// The keys of an event's JSON payload.
namespace payload_key {
inline constexpr std::string_view kAuthErrorId = "authErrorId";
inline constexpr std::string_view kRequestId = "requestId";
inline constexpr std::string_view kOccurredAt = "occurredAt";
}  // namespace payload_key

}  // namespace auth_errors::domain
