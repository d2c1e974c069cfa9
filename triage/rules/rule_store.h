// The rules as people keep them: listed, shown, made, changed, deleted, and tried without effect.
// Belongs to the loop of the client it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/values/instant.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/rules/rule.h"

namespace auth_errors::rules {

enum class RuleFault : std::uint8_t {
  unknown,
  nameTaken,
  tooMany,         // there are as many rules as may be
  unknownCluster,  // that the rule is to match
  mergedCluster,   // the same, and its errors are in another one by now
  tooSlow,         // a preview that the deadline ended
  unavailable,     // the database is away: nothing was changed
  outcomeUnknown,  // no answer came
};

// Where in the order of application a page ended.
struct RulePlace {
  std::int32_t position = 0;
  std::int64_t id = 0;
};

// Only the errors that came within this time are looked at for a preview.
inline constexpr int kPreviewDays = 30;
inline constexpr std::size_t kPreviewSamples = 10;

struct MatchedError {
  std::int64_t authErrorId = 0;
  std::string status;
  std::string exceptionClass;
  std::optional<std::string> exceptionMessage;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  std::int32_t httpStatus = 0;
  domain::Instant occurredAt;
};

struct RulePreview {
  std::int64_t matching = 0;
  std::int64_t undecided = 0;
  // Those of the undecided ones that the rule would decide on at once. One without an age decides
  // on none of them: it acts when an error is analysed.
  std::int64_t wouldDecideNow = 0;
  std::vector<MatchedError> samples;  // the newest
  // The enabled rules before it that match one of the samples.
  std::vector<std::string> earlierRules;
};

class RuleStore {
 public:
  template <typename T>
  using Answer = std::expected<T, RuleFault>;

  explicit RuleStore(database::Clients clients) : clients_(clients) {}

  // In the order in which they are applied.
  [[nodiscard]] drogon::Task<Answer<std::vector<Rule>>> page(std::optional<RulePlace> after,
                                                             std::size_t rows,
                                                             database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<Rule>> find(std::int64_t id, database::Deadline deadline);

  [[nodiscard]] drogon::Task<Answer<Rule>> create(RuleSettings settings, std::string by,
                                                  database::Deadline deadline);
  // Without a position it keeps its own. One with an age looks at all errors anew.
  [[nodiscard]] drogon::Task<Answer<Rule>> replace(std::int64_t id, RuleSettings settings,
                                                   std::string by, database::Deadline deadline);
  // What it has decided stays decided.
  [[nodiscard]] drogon::Task<Answer<void>> remove(std::int64_t id, database::Deadline deadline);

  // What a new rule with these settings would find. Changes nothing.
  [[nodiscard]] drogon::Task<Answer<RulePreview>> preview(RuleSettings settings,
                                                          database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::rules
