// A filter for stored errors. A plain value; an empty member matches everything.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/errors/auth_error_status.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"

namespace auth_errors::triage {

struct ErrorFilter {
  std::optional<domain::AuthErrorStatus> status;
  std::optional<std::int32_t> httpStatus;
  std::optional<std::string> exceptionClass;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  std::optional<std::string> stackHash;
  std::optional<domain::ClusterId> clusterId;
  std::optional<domain::Instant> from;     // occurredAt, inclusive
  std::optional<domain::Instant> to;       // occurredAt, exclusive
  std::optional<std::string> messagePart;  // substring of either message, case-insensitive
  std::optional<bool> stuck;               // has been waiting for its analysis for too long
  // By ActorKind, the pseudonyms of one identifier under every known key.
  std::array<std::vector<std::string>, domain::kActorKindCount> pseudonyms;

  bool operator==(const ErrorFilter&) const = default;
};

}  // namespace auth_errors::triage
