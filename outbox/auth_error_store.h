// Stores accepted errors: one statement writes the AuthError and its recorded event, so both are
// written or none. Belongs to the loop of the given client.
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

// Distinguishes a repeat with the same content from another error with the same request id.
using ContentDigest = std::array<std::byte, 16>;

ContentDigest contentDigest(const domain::AcceptedError& error);

// Inputs of a digest other than the submitted content: it covers scrubbed texts and pseudonyms, so
// digests are only comparable if all of these are equal.
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
  std::optional<ContentDigest> digest;  // none: of another version, so not comparable
  std::optional<std::string> serviceName;
};

// Inserts the errors with new request ids, each with its event, and returns those. REQUIRES: the
// errors are sorted by request id without duplicates, because batches that overlap in another order
// deadlock.
drogon::Task<std::vector<InsertedError>> insertErrors(database::Client& client,
                                                      std::vector<NewError> errors,
                                                      domain::InstanceName receivedBy,
                                                      std::string digestVersion,
                                                      database::Deadline deadline);

// The existing rows with these request ids, with digests of the given version only.
drogon::Task<std::vector<StoredRow>> findByRequestId(database::Client& client,
                                                     std::vector<std::string_view> requestIds,
                                                     std::string digestVersion,
                                                     database::Deadline deadline);

}  // namespace auth_errors::outbox
