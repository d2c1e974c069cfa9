// The conditions of rules and splits on an error, and their SQL. A plain value; pure. An absent
// field matches every error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"
#include "platform/database/parameters.h"

namespace auth_errors::triage {

// Read from a row's match columns in their order.
struct ErrorMatch {
  std::optional<domain::ClusterId> clusterId;
  std::optional<std::string> exceptionClass;
  std::optional<std::int32_t> httpStatus;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  // Substring of the exception's or the root cause's message, case-insensitive.
  std::optional<std::string> message;

  [[nodiscard]] bool empty() const {
    return !clusterId && !exceptionClass && !httpStatus && !serviceName && !environment && !message;
  }
  bool operator==(const ErrorMatch&) const = default;
};

// The match columns of every table that has them, in the order of an ErrorMatch's fields.
inline constexpr std::array<std::string_view, 6> kMatchColumns{
    "match_cluster_id",   "match_exception_class", "match_http_status",
    "match_service_name", "match_environment",     "match_message"};
// The same as one list: "m.match_cluster_id, m.match_exception_class, …"; bare names without an
// alias.
std::string matchColumns(std::string_view alias = {});
// The same with the message in lower case.
std::string loweredMatchColumns(std::string_view alias);

// The values of matchRow()'s parameters, which a Statement lists as kMatchParameters.
database::Parameters matchParameters(const ErrorMatch& match);
inline constexpr std::string_view kMatchParameters =
    "match_cluster_id match_exception_class match_http_status match_service_name match_environment "
    "match_message";
// A row of a FROM clause with these columns: "(SELECT $match_cluster_id::bigint AS
// match_cluster_id, …) m".
std::string matchRow(std::string_view alias);

// Whether the row `alias` matches the AuthError `e`.
std::string matchesSql(std::string_view alias);

}  // namespace auth_errors::triage
