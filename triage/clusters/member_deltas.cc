#include "triage/clusters/member_deltas.h"

#include <format>

namespace auth_errors::clusters {

// The actor is the user or, if unknown, the session or address.
std::string insertDeltas(std::string_view source, int change) {
  return std::format(
      R"(INSERT INTO cluster_delta (cluster_id, change, occurred_at, stack_hash, service_name,
                           environment, actor)
SELECT s.cluster_id, {1}, e.occurred_at, s.stack_hash, e.service_name, e.environment,
       coalesce(e.user_pseudonym, e.session_pseudonym, e.client_ip_pseudonym)
FROM {0} s JOIN auth_error e ON e.id = s.auth_error_id)",
      source, change);
}

}  // namespace auth_errors::clusters
