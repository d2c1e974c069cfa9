// The rows of an accepted error: the AuthError and its recorded event, written by one statement and
// so together or not at all. Belongs to the loop of the client it is given.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_status.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "platform/security/pseudonymiser.h"

namespace auth_errors::outbox {

// Tells a repeat of the same content from another error under the same request id.
using ContentDigest = std::array<std::byte, 16>;

ContentDigest contentDigest(const domain::AcceptedError& error);

// What a digest depends on beside the content that was sent: it covers texts after scrubbing and
// pseudonyms, so that digests can be compared only if all of this was equal.
struct DigestBasis {
  const security::PseudonymKey* actorKey = nullptr;  // null: there are no pseudonyms
  bool keepsIdentifiers = false;
};

std::string digestVersion(const DigestBasis& basis);

struct NewError {
  const domain::AcceptedError* error = nullptr;
  ContentDigest digest{};
};

struct InsertedError {
  std::string dedupKey;
  domain::ErrorId id;
};

struct StoredRow {
  std::string dedupKey;
  domain::ErrorId id;
  domain::StoredName<domain::AuthErrorStatus> status;
  std::optional<ContentDigest> digest;  // none: of another version, so that it says nothing
  std::optional<std::string> serviceName;
};

// Inserts the errors whose request ids are new, each with its event, and returns those. The errors
// must be sorted by request id and free of repeats: batches that overlap in another order deadlock.
drogon::Task<std::vector<InsertedError>> insertErrors(database::Client& client,
                                                      std::vector<NewError> errors,
                                                      domain::InstanceName receivedBy,
                                                      std::string digestVersion,
                                                      database::Deadline deadline);

// The rows that stand for these request ids already, with digests of the given version only.
drogon::Task<std::vector<StoredRow>> findByRequestId(database::Client& client,
                                                     std::vector<std::string_view> requestIds,
                                                     std::string digestVersion,
                                                     database::Deadline deadline);

}  // namespace auth_errors::outbox
