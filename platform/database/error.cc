#include "platform/database/error.h"

#include <utility>

namespace auth_errors::database {

std::string_view toText(Failure failure) {
  switch (failure) {
    case Failure::unavailable:
      return "unavailable";
    case Failure::outcomeUnknown:
      return "outcomeUnknown";
    case Failure::statement:
      return "statement";
  }
  return "unknown";
}

Error::Error(Failure failure, const std::string& message, std::string sqlState,
             std::string constraint)
    : std::runtime_error(message),
      failure_(failure),
      sqlState_(std::move(sqlState)),
      constraint_(std::move(constraint)) {}

bool Error::isDataFault() const {
  return failure_ == Failure::statement &&
         (sqlState_.starts_with("22") || sqlState_.starts_with("23"));
}

bool Error::isConflict() const {
  return failure_ == Failure::statement && (sqlState_ == "40001" || sqlState_ == "40P01");
}

bool Error::mayPass() const {
  // 57014 is a statement that exceeded its own timeout. Class 58, such as an unreadable page,
  // persists as long as the rows concerned.
  return failure_ != Failure::statement || isConflict() || sqlState_ == "25006" ||
         sqlState_.starts_with("53") || sqlState_.starts_with("55") ||
         (sqlState_.starts_with("57") && sqlState_ != "57014");
}

}  // namespace auth_errors::database
