// What a database call throws. A plain value, usable on any thread. Its text never holds a
// parameter's or a row's value, so it may be logged as it is.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace auth_errors::database {

enum class Failure : std::uint8_t {
  unavailable,     // surely not executed: it was never sent
  outcomeUnknown,  // sent, and no definite answer came: executed or not
  statement,       // the server refused it, and says why by SQLSTATE
};

std::string_view toText(Failure failure);

class Error : public std::runtime_error {
 public:
  Error(Failure failure, const std::string& message, std::string sqlState = {},
        std::string constraint = {});

  [[nodiscard]] Failure failure() const { return failure_; }
  // Five characters, or empty if no server spoke.
  [[nodiscard]] const std::string& sqlState() const { return sqlState_; }
  // The constraint's name for integrity violations (class 23), else empty.
  [[nodiscard]] const std::string& constraint() const { return constraint_; }

  // The values are at fault (classes 22 and 23): the same statement with other values may succeed.
  [[nodiscard]] bool isDataFault() const;
  // The same transaction may succeed if it is simply run again (40001, 40P01).
  [[nodiscard]] bool isConflict() const;
  // The server's or the network's fault and not the statement's: away, in conflict, out of
  // resources, read-only after a failover, shutting down. The same may succeed later.
  [[nodiscard]] bool mayPass() const;

 private:
  Failure failure_;
  std::string sqlState_;
  std::string constraint_;
};

}  // namespace auth_errors::database
