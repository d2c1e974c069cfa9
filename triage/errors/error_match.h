// Which errors are meant: the conditions that rules and splits share, and their SQL. A plain value;
// pure. What is not given matches every error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/database/parameters.h"
#include "platform/database/result.h"

namespace auth_errors::triage {

struct ErrorMatch {
  std::optional<std::int64_t> clusterId;
  std::optional<std::string> exceptionClass;
  std::optional<std::int32_t> httpStatus;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  // A part of the exception's or the root cause's message, in any case.
  std::optional<std::string> message;

  [[nodiscard]] bool empty() const {
    return !clusterId && !exceptionClass && !httpStatus && !serviceName && !environment && !message;
  }
  bool operator==(const ErrorMatch&) const = default;
};

// Of every table that holds a match, in the order in which addMatch() adds their values.
inline constexpr std::array<std::string_view, 6> kMatchColumns{
    "match_cluster_id",   "match_exception_class", "match_http_status",
    "match_service_name", "match_environment",     "match_message"};
// The same as one list: "m.match_cluster_id, m.match_exception_class, …"; without an alias as they
// are.
std::string matchColumns(std::string_view alias = {});
// The same with the message in lower case.
std::string loweredMatchColumns(std::string_view alias);

// From the column `first` on.
ErrorMatch matchOf(const database::Result& result, std::size_t row, std::size_t first);

void addMatch(database::Parameters& parameters, const ErrorMatch& match);
// A row of a FROM clause that holds them as parameters from $first on: "(SELECT $3::bigint AS
// match_cluster_id, …) m".
std::string matchRow(std::size_t first, std::string_view alias);

// Whether the AuthError `e` is meant by the row `alias`.
std::string matchesSql(std::string_view alias);

}  // namespace auth_errors::triage
