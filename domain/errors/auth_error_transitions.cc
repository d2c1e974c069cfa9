#include "domain/errors/auth_error_transitions.h"

namespace auth_errors::domain {

std::vector<AuthErrorStatus> sourcesOf(StatusEvent on) {
  std::vector<AuthErrorStatus> sources;
  for (const StatusTransition& row : kStatusTransitions) {
    if (row.on == on && row.from != row.to) {
      sources.push_back(row.from);
    }
  }
  return sources;
}

}  // namespace auth_errors::domain
