// Reads stored errors: one by its id, or a page of those that match a filter, newest first. Belongs
// to the loop of the given client. A read ends by its deadline and changes nothing.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_status.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/errors/error_filter.h"

namespace auth_errors::triage {

// The fields in the order in which they are read.
struct StoredAuthError {
  domain::ErrorId id;
  domain::StoredName<domain::AuthErrorStatus> status;
  domain::Instant occurredAt;
  domain::Instant receivedAt;
  domain::Instant statusChangedAt;
  std::int32_t httpStatus = 0;
  std::optional<std::string> stackHash;
  std::int32_t retryCount = 0;
  std::optional<domain::Instant> nextRetryAt;
  std::string redactions;  // a JSON object of counts by kind
  domain::Texts texts;     // a summary has only some of them
  std::array<std::optional<std::string>, domain::kActorKindCount> pseudonyms;
};

// A summary has the fields that identify errors in a list. Stack traces, which are most of an
// error's bytes and are in a separate table, are not read for it.
enum class Extent : std::uint8_t { summary, full };

constexpr bool inSummary(domain::TextField field) {
  using enum domain::TextField;
  switch (field) {
    case requestId:
    case exceptionClass:
    case exceptionMessage:
    case rootCauseClass:
    case httpMethod:
    case requestUri:
    case serviceName:
    case environment:
    case traceId:
      return true;
    default:
      return false;
  }
}

struct PageRequest {
  ErrorFilter filter;
  std::optional<domain::ErrorId> before;  // only errors with smaller ids
  std::size_t rows = 0;                   // maximum
  Extent extent = Extent::summary;
};

class ErrorReader {
 public:
  using Found = domain::Answer<std::optional<StoredAuthError>>;
  using Page = domain::Answer<std::vector<StoredAuthError>>;

  // The planner assumes that the matches of a filter are spread evenly over the ids, but those of a
  // time range are adjacent: below a million newer rows it would scan all of them. So it would for
  // a filter that few or no errors match. A walk that finds no page within this time is abandoned
  // for the planner's alternative, such as the range's own index, or a parallel scan.
  static constexpr std::chrono::milliseconds kWalkBudget{500};

  static constexpr std::chrono::milliseconds kStuckAfter{3'600'000};

  // An error that has a status before its analysis for longer than `stuckAfter` is stuck.
  explicit ErrorReader(database::Clients clients,
                       std::chrono::milliseconds stuckAfter = kStuckAfter,
                       std::chrono::milliseconds walkBudget = kWalkBudget)
      : clients_(clients), stuckAfter_(stuckAfter), walkBudget_(walkBudget) {}

  [[nodiscard]] drogon::Task<Found> find(domain::ErrorId id, database::Deadline deadline);
  [[nodiscard]] drogon::Task<Page> page(PageRequest request, database::Deadline deadline);

 private:
  database::Clients clients_;
  std::chrono::milliseconds stuckAfter_;
  std::chrono::milliseconds walkBudget_;
};

}  // namespace auth_errors::triage
