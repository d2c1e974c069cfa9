// Compares what a service acknowledged with what its database holds, by SQL of its own, so that no
// fault of the service's database layer can hide itself. Blocking; any one thread.
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

// Every broken promise with examples; empty when all hold: each acknowledged requestId is stored
// exactly once under the id that was told, each auth_error has exactly one recorded event with the
// key and aggregate made from its id, and no event is without its auth_error.
std::vector<std::string> findBrokenPromises(const std::string& databaseUrl,
                                            std::span<const AcknowledgedError> acknowledged);

// Fills in many errors at once, without events, for tests that read: request ids "many-1" to
// "many-{count}", one a second up to now, each with a stack trace of some 32 bytes times
// `traceLines`.
void insertMany(const std::string& databaseUrl, int count, int traceLines);

}  // namespace auth_errors::tests
