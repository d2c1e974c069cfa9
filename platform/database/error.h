// The exception of a failed database call. A plain value, usable from any thread. Its text never
// contains a parameter or a row's value, so it can be logged.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace auth_errors::database {

enum class Failure : std::uint8_t {
  unavailable,     // certainly not executed: it was never sent
  outcomeUnknown,  // sent, but without a definite response: may have been executed
  statement,       // refused by the server, with an SQLSTATE
};

std::string_view toText(Failure failure);

class Error : public std::runtime_error {
 public:
  Error(Failure failure, const std::string& message, std::string sqlState = {},
        std::string constraint = {});

  [[nodiscard]] Failure failure() const { return failure_; }
  // Five characters, or empty if no server responded.
  [[nodiscard]] const std::string& sqlState() const { return sqlState_; }
  // The constraint's name for integrity violations (class 23), otherwise empty.
  [[nodiscard]] const std::string& constraint() const { return constraint_; }

  // The values are at fault (classes 22 and 23): the same statement may succeed with other values.
  [[nodiscard]] bool isDataFault() const;
  // The same transaction may succeed if it is run again (40001, 40P01).
  [[nodiscard]] bool isConflict() const;
  // Caused by the server or the network rather than the statement: unreachable, conflict, out of
  // resources, read-only after a failover, shutting down. The same statement may succeed later.
  [[nodiscard]] bool mayPass() const;

 private:
  Failure failure_;
  std::string sqlState_;
  std::string constraint_;
};

}  // namespace auth_errors::database
