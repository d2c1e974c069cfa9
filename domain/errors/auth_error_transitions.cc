#include "domain/errors/auth_error_transitions.h"

#include <format>

namespace auth_errors::domain {

std::string sourcesAsSqlList(StatusEvent on) {
  std::string list;
  for (const StatusTransition& row : kStatusTransitions) {
    if (row.on == on && row.from != row.to) {
      list += std::format("{}'{}'", list.empty() ? "" : ", ", toText(row.from));
    }
  }
  return list;
}

}  // namespace auth_errors::domain
