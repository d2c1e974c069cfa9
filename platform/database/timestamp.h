// Timestamps in PostgreSQL's format: microseconds since 2000-01-01 UTC. Pure functions.
#pragma once

#include <cstdint>

#include "platform/database/types.h"

namespace auth_errors::database {

// Throws an Error that is a data fault if the time is out of PostgreSQL's range.
std::int64_t timestampToWire(Timestamp time);
// Throws likewise for times after the year 294246, which a Timestamp cannot represent.
Timestamp timestampFromWire(std::int64_t wire);

}  // namespace auth_errors::database
