// Timestamps as PostgreSQL sends them: microseconds since 2000-01-01 UTC. Pure functions.
#pragma once

#include <cstdint>

#include "platform/database/types.h"

namespace auth_errors::database {

// Throws an Error that is a data fault if PostgreSQL has no such time.
std::int64_t timestampToWire(Timestamp time);
// Throws the same for times past the year 294246, which a Timestamp can't hold.
Timestamp timestampFromWire(std::int64_t wire);

}  // namespace auth_errors::database
