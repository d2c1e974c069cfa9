#include "triage/errors/error_matching.h"

#include <algorithm>
#include <utility>

namespace auth_errors::triage {
namespace {

constexpr std::size_t kTrigram = 3;

// The database converts to lower case, as in comparisons in SQL.
const database::Statement kErrorsToMatch{.name = "errors_to_match",
                                         .sql = R"(SELECT e.id, e.exception_class, e.http_status,
  e.service_name, e.environment, CASE WHEN $2 THEN lower(e.exception_message) END,
  CASE WHEN $2 THEN lower(e.root_cause_message) END,
  ARRAY(SELECT m.cluster_id FROM cluster_member m WHERE m.auth_error_id = e.id)
FROM auth_error e WHERE e.id = ANY($1::bigint[]) ORDER BY e.id)"};

// Contains views into the result.
struct ErrorRow {
  domain::ErrorId id;
  std::string_view exceptionClass;
  std::int32_t httpStatus = 0;
  std::optional<std::string_view> serviceName;
  std::optional<std::string_view> environment;
  std::optional<std::string_view> exceptionMessage;
  std::optional<std::string_view> rootCauseMessage;
  std::vector<domain::ClusterId> clusterIds;
};

ErrorToMatch toErrorToMatch(ErrorRow&& row) {
  ErrorToMatch error{.id = row.id,
                     .exceptionClass = row.exceptionClass,
                     .httpStatus = row.httpStatus,
                     .serviceName = row.serviceName,
                     .environment = row.environment,
                     .messages = {},
                     .clusterIds = std::move(row.clusterIds)};
  for (const auto& text : {row.exceptionMessage, row.rootCauseMessage}) {
    if (text) {
      error.messages.emplace_back(*text);
    }
  }
  return error;
}

}  // namespace

SearchableText::SearchableText(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at + kTrigram <= text.size(); ++at) {
    const std::size_t bit = bitOf(text, at);
    trigrams_.at(bit / kWordBits) |= std::uint64_t{1} << (bit % kWordBits);
  }
}

bool SearchableText::contains(std::string_view part) const {
  for (std::size_t at = 0; at + kTrigram <= part.size(); ++at) {
    const std::size_t bit = bitOf(part, at);
    if ((trigrams_.at(bit / kWordBits) >> (bit % kWordBits) & 1U) == 0) {
      return false;
    }
  }
  return text_.contains(part);
}

// Any hash will do: two trigrams that share a bit only cost an extra search.
std::size_t SearchableText::bitOf(std::string_view text, std::size_t at) {
  constexpr std::uint32_t kSpread = 2'654'435'761;
  constexpr unsigned kTopBits = 32 - 13;
  static_assert(std::size_t{1} << (32U - kTopBits) == kBits);
  std::uint32_t trigram = 0;
  for (const char c : text.substr(at, kTrigram)) {
    trigram = trigram << 8U | static_cast<unsigned char>(c);
  }
  return (trigram * kSpread) >> kTopBits;
}

drogon::Task<ErrorsToMatch> loadErrorsToMatch(database::Transaction& transaction,
                                              std::vector<domain::ErrorId> authErrorIds,
                                              bool withTexts) {
  ErrorsToMatch loaded{.rows = co_await transaction.run(kErrorsToMatch, authErrorIds, withTexts),
                       .errors = {}};
  loaded.errors.reserve(loaded.rows.rows());
  for (ErrorRow& row : loaded.rows.as<ErrorRow>()) {
    loaded.errors.push_back(toErrorToMatch(std::move(row)));
  }
  co_return loaded;
}

bool meets(const ErrorToMatch& error, const ErrorMatch& match) {
  return (!match.exceptionClass || *match.exceptionClass == error.exceptionClass) &&
         (!match.httpStatus || *match.httpStatus == error.httpStatus) &&
         (!match.serviceName || match.serviceName == error.serviceName) &&
         (!match.environment || match.environment == error.environment) &&
         (!match.clusterId || std::ranges::contains(error.clusterIds, *match.clusterId)) &&
         (!match.message || std::ranges::any_of(error.messages, [&](const SearchableText& text) {
           return text.contains(*match.message);
         }));
}

}  // namespace auth_errors::triage
