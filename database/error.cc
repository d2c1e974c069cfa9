#include "database/error.h"

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

}  // namespace auth_errors::database
