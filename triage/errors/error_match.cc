#include "triage/errors/error_match.h"

#include <format>

namespace auth_errors::triage {
namespace {

constexpr std::array<std::string_view, kMatchColumns.size()> kTypes{"bigint", "text", "integer",
                                                                    "text",   "text", "text"};

}  // namespace

std::string matchColumns(std::string_view alias) {
  std::string list;
  for (const std::string_view column : kMatchColumns) {
    list +=
        std::format("{}{}{}{}", list.empty() ? "" : ", ", alias, alias.empty() ? "" : ".", column);
  }
  return list;
}

std::string loweredMatchColumns(std::string_view alias) {
  const std::string message = std::format("{}.{}", alias, kMatchColumns.back());
  std::string list = matchColumns(alias);
  list.resize(list.size() - message.size());
  return list + std::format("lower({})", message);
}

database::Parameters matchParameters(const ErrorMatch& match) {
  return database::encoded(match.clusterId, match.exceptionClass, match.httpStatus,
                           match.serviceName, match.environment, match.message);
}

std::string matchRow(std::string_view alias) {
  std::string list;
  for (std::size_t i = 0; i < kMatchColumns.size(); ++i) {
    list += std::format("{0}${1}::{2} AS {1}", list.empty() ? "" : ", ", kMatchColumns.at(i),
                        kTypes.at(i));
  }
  return std::format("(SELECT {}) {}", list, alias);
}

std::string matchesSql(std::string_view alias) {
  return std::format(
      R"(({0}.match_exception_class IS NULL OR {0}.match_exception_class = e.exception_class)
 AND ({0}.match_http_status IS NULL OR {0}.match_http_status = e.http_status)
 AND ({0}.match_service_name IS NULL OR {0}.match_service_name = e.service_name)
 AND ({0}.match_environment IS NULL OR {0}.match_environment = e.environment)
 AND ({0}.match_message IS NULL
      OR strpos(lower(e.exception_message), lower({0}.match_message)) > 0
      OR strpos(lower(e.root_cause_message), lower({0}.match_message)) > 0)
 AND ({0}.match_cluster_id IS NULL
      OR EXISTS (SELECT FROM cluster_member WHERE cluster_member.cluster_id = {0}.match_cluster_id
                 AND cluster_member.auth_error_id = e.id)))",
      alias);
}

}  // namespace auth_errors::triage
