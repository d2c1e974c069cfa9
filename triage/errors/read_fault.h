// Why a read gave nothing. Any thread.
#pragma once

#include <cstdint>

#include "platform/database/client.h"

namespace auth_errors::triage {

enum class ReadFault : std::uint8_t {
  unavailable,  // the database is away, or refuses
  tooSlow,      // it took longer than the deadline allows
};

// What the error of a read that was to end by the deadline comes down to; logs it.
ReadFault faultOf(const database::Error& error, const database::Client& client,
                  database::Deadline deadline);

}  // namespace auth_errors::triage
