// Compares what a service acknowledged with what its database holds, by separate SQL, so that a
// fault of the service's database layer cannot hide itself. Blocking; any one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domain/identity/ids.h"

namespace auth_errors::tests {

struct AcknowledgedError {
  std::string requestId;
  domain::ErrorId authErrorId;
};

struct StoredCounts {
  std::int64_t authErrors = 0;
  std::int64_t recordedEvents = 0;
};

StoredCounts countStored(const std::string& databaseUrl);

// Lists every violation with examples; empty if there is none: each acknowledged requestId is
// stored exactly once under the acknowledged id, each auth_error has exactly one recorded event
// with the key and aggregate derived from its id, and no event lacks its auth_error.
std::vector<std::string> findBrokenPromises(const std::string& databaseUrl,
                                            std::span<const AcknowledgedError> acknowledged);

// Inserts many errors at once, without events, for tests that read: request ids "many-1" to
// "many-{count}", one per second up to now, each with a stack trace of about 32 bytes times
// `traceLines`.
void insertMany(const std::string& databaseUrl, int count, int traceLines);

}  // namespace auth_errors::tests
