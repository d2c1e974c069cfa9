// Manual handling of dead letters: listed, read, retried, resolved. Belongs to the loop of the
// given client. An action is one transaction, guarded by the dead letter's status: of several
// concurrent ones exactly one takes effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/dead_letter.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"

namespace auth_errors::triage {

// The fields in the order in which they are read.
struct DeadLetter {
  domain::DeadLetterId id;
  domain::StoredName<domain::DeadLetterStatus> status;
  domain::StoredName<domain::DeadLetterSource> source;
  std::string reason;
  std::optional<std::string> error;
  // Fields of our own events; a foreign message has none of the first four.
  std::optional<domain::OutboxId> outboxId;
  std::optional<std::int32_t> retryRound;
  std::optional<std::string> aggregateType;
  std::optional<domain::ErrorId> authErrorId;
  std::optional<std::string> eventType;
  std::int32_t attemptCount = 0;
  domain::Instant createdAt;
  std::optional<domain::Instant> closedAt;
  std::optional<std::string> closedBy;
  std::optional<std::string> note;
  std::optional<std::string> decision;
};

// The message and its attempts, in the order in which they are read. JSON texts are as formatted by
// the database.
struct DeadLetterContent {
  std::optional<std::string> payload;  // JSON, for our own events
  std::optional<std::string> body;     // of a foreign message, scrubbed
  std::optional<std::string> bodyEncoding;
  std::optional<std::string> headers;  // JSON
  std::optional<std::string> traceparent;
  std::string attempts;  // a JSON array
};

struct WholeDeadLetter {
  DeadLetter letter;
  DeadLetterContent content;
};

// An empty member matches everything.
struct DeadLetterFilter {
  std::optional<domain::DeadLetterStatus> status;
  std::optional<domain::DeadLetterSource> source;
  std::optional<domain::DeadLetterReason> reason;
  std::optional<std::string> eventType;
  std::optional<domain::ErrorId> authErrorId;
  std::optional<domain::Instant> from;  // createdAt, inclusive
  std::optional<domain::Instant> to;    // createdAt, exclusive

  bool operator==(const DeadLetterFilter&) const = default;
};

struct DeadLetterPage {
  DeadLetterFilter filter;
  std::optional<domain::DeadLetterId> before;  // only dead letters with smaller ids
  std::size_t rows = 0;                        // maximum
};

struct DeadLetterRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    closed,            // already retried or resolved
    eventGone,         // a foreign message, or its outbox row was cleaned up
    eventUnderWay,     // the event is already being delivered
    eventApplied,      // the event has been processed
    decisionRequired,  // its AuthError was never analysed
    nothingToDecide,   // it has no AuthError
    alreadyAnalysed,   // its AuthError is analysed, or in a final status
  };
  Reason reason{};
  // closed: the dead letter's; decisionRequired, alreadyAnalysed: the error's
  std::string currentStatus = {};
};

struct Resolution {
  std::optional<domain::DeadLetterDecision> decision;
  std::optional<std::string> note;  // sanitised
};

class DeadLetterStore {
 public:
  template <typename T>
  using Answer = domain::Answer<T, DeadLetterRefusal>;

  explicit DeadLetterStore(database::Clients clients) : clients_(clients) {}

  // Newest first.
  [[nodiscard]] drogon::Task<domain::Answer<std::vector<DeadLetter>>> page(
      DeadLetterPage page, database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<WholeDeadLetter>> find(domain::DeadLetterId id,
                                                           database::Deadline deadline);

  // Sets its event to PENDING, in the next round.
  [[nodiscard]] drogon::Task<Answer<WholeDeadLetter>> retry(domain::DeadLetterId id, std::string by,
                                                            database::Deadline deadline);
  // The decision ends the AuthError of the dead letter. It is required exactly if the error is
  // waiting for its analysis, so that no error is left waiting unnoticed.
  [[nodiscard]] drogon::Task<Answer<WholeDeadLetter>> resolve(domain::DeadLetterId id,
                                                              Resolution resolution, std::string by,
                                                              database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::triage
