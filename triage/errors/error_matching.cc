#include "triage/errors/error_matching.h"

#include <algorithm>
#include <utility>

namespace auth_errors::triage {
namespace {

constexpr std::size_t kThree = 3;

// The case of a letter is the database's to know, as it is where SQL compares.
const database::Statement kErrorsToMatch{.name = "errors_to_match",
                                         .sql = R"(SELECT e.id, e.exception_class, e.http_status,
  e.service_name, e.environment, CASE WHEN $2 THEN lower(e.exception_message) END,
  CASE WHEN $2 THEN lower(e.root_cause_message) END,
  ARRAY(SELECT m.cluster_id FROM cluster_member m WHERE m.auth_error_id = e.id)
FROM auth_error e WHERE e.id = ANY($1::bigint[]) ORDER BY e.id)"};

ErrorToMatch errorToMatchOf(const database::Result& rows, std::size_t row) {
  ErrorToMatch error{.id = rows.value<std::int64_t>(row, 0),
                     .exceptionClass = rows.value<std::string_view>(row, 1),
                     .httpStatus = rows.value<std::int32_t>(row, 2),
                     .serviceName = rows.value<std::optional<std::string_view>>(row, 3),
                     .environment = rows.value<std::optional<std::string_view>>(row, 4),
                     .messages = {},
                     .clusterIds = rows.value<std::vector<std::int64_t>>(row, 7)};
  for (const std::size_t column : {5U, 6U}) {
    if (const auto text = rows.value<std::optional<std::string_view>>(row, column)) {
      error.messages.emplace_back(*text);
    }
  }
  return error;
}

}  // namespace

SearchableText::SearchableText(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at + kThree <= text.size(); ++at) {
    const std::size_t bit = bitOf(text, at);
    threes_.at(bit / kWordBits) |= std::uint64_t{1} << (bit % kWordBits);
  }
}

bool SearchableText::contains(std::string_view part) const {
  for (std::size_t at = 0; at + kThree <= part.size(); ++at) {
    const std::size_t bit = bitOf(part, at);
    if ((threes_.at(bit / kWordBits) >> (bit % kWordBits) & 1U) == 0) {
      return false;
    }
  }
  return text_.contains(part);
}

// Any spreading will do: two threes that share a bit only cost a search.
std::size_t SearchableText::bitOf(std::string_view text, std::size_t at) {
  constexpr std::uint32_t kSpread = 2'654'435'761;
  constexpr unsigned kTopBits = 32 - 13;
  static_assert(std::size_t{1} << (32U - kTopBits) == kBits);
  std::uint32_t three = 0;
  for (const char c : text.substr(at, kThree)) {
    three = three << 8U | static_cast<unsigned char>(c);
  }
  return (three * kSpread) >> kTopBits;
}

drogon::Task<ErrorsToMatch> loadErrorsToMatch(database::Transaction& transaction,
                                              std::vector<std::int64_t> authErrorIds,
                                              bool withTexts, database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(authErrorIds).add(withTexts);
  ErrorsToMatch loaded{
      .rows = co_await transaction.run(kErrorsToMatch, std::move(parameters), deadline),
      .errors = {}};
  loaded.errors.reserve(loaded.rows.rows());
  for (std::size_t row = 0; row < loaded.rows.rows(); ++row) {
    loaded.errors.push_back(errorToMatchOf(loaded.rows, row));
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
