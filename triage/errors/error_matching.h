// Matches errors against many conditions at once, in memory rather than in SQL: a batch meets a
// thousand rules, or all splits of a cluster. Plain values, and pure except for loading. A match's
// text is searched only in messages that contain all of its byte trigrams, so a thousand texts cost
// about as much as ten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "triage/errors/error_match.h"

namespace auth_errors::triage {

// A text prepared for substring searches. The text must outlive it.
class SearchableText {
 public:
  explicit SearchableText(std::string_view text);

  [[nodiscard]] bool contains(std::string_view part) const;

 private:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kBits = 8'192;

  static std::size_t bitOf(std::string_view text, std::size_t at);

  std::string_view text_;
  std::array<std::uint64_t, kBits / kWordBits> trigrams_{};
};

struct ErrorToMatch {
  domain::ErrorId id;
  std::string_view exceptionClass;
  std::int32_t httpStatus = 0;
  std::optional<std::string_view> serviceName;
  std::optional<std::string_view> environment;
  std::vector<SearchableText> messages;  // in lower case
  std::vector<domain::ClusterId> clusterIds;
};

struct ErrorsToMatch {
  database::Result rows;  // owns the texts
  std::vector<ErrorToMatch> errors;
};

// In the order of their ids. If loaded without texts, they meet no match that has one.
drogon::Task<ErrorsToMatch> loadErrorsToMatch(database::Transaction& transaction,
                                              std::vector<domain::ErrorId> authErrorIds,
                                              bool withTexts);

// REQUIRES: the match is in lower case, as read by loweredMatchColumns().
bool meets(const ErrorToMatch& error, const ErrorMatch& match);

}  // namespace auth_errors::triage
