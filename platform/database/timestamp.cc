#include "platform/database/timestamp.h"

#include <chrono>
#include <limits>

#include "platform/database/error.h"

namespace auth_errors::database {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

constexpr std::int64_t kEpoch =
    std::chrono::microseconds(
        std::chrono::sys_days(std::chrono::January / 1 / 2000).time_since_epoch())
        .count();
// 4714-11-24 BC, the earliest time that PostgreSQL supports.
constexpr std::int64_t kFirst = -211'813'488'000'000'000;

[[noreturn]] void refuse() { throw Error(Failure::statement, "timestamp out of range", "22008"); }

}  // namespace

std::int64_t timestampToWire(Timestamp time) {
  if (time == Timestamp::max()) {
    return Limits::max();
  }
  if (time == Timestamp::min()) {
    return Limits::min();
  }
  const std::int64_t count = time.time_since_epoch().count();
  if (count < kFirst + kEpoch) {
    refuse();
  }
  return count - kEpoch;
}

Timestamp timestampFromWire(std::int64_t wire) {
  if (wire == Limits::max()) {
    return Timestamp::max();
  }
  if (wire == Limits::min()) {
    return Timestamp::min();
  }
  if (wire > Limits::max() - kEpoch) {
    refuse();
  }
  return Timestamp(std::chrono::microseconds(wire + kEpoch));
}

}  // namespace auth_errors::database
