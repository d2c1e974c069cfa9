// Stores rules: listing, reading, creating, changing, deleting and previewing them.
// Belongs to the loop of the client it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/rules/rule.h"

namespace auth_errors::rules {

enum class RuleRefusal : std::uint8_t {
  unknown,
  nameTaken,
  tooMany,         // rule limit reached
  unknownCluster,  // the rule is to match a cluster that does not exist
  mergedCluster,   // the rule is to match a cluster whose errors were merged into another
};

// The last rule of a page, in the order of application.
struct RulePlace {
  std::int32_t position = 0;
  domain::RuleId id;
};

// A preview covers only errors received within this time.
inline constexpr int kPreviewDays = 30;
inline constexpr std::size_t kPreviewSamples = 10;

// The fields in the order in which they are read.
struct MatchedError {
  domain::ErrorId authErrorId;
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
  // The undecided ones that the rule would decide on at once. A rule without an age decides on none
  // of them: it acts when an error is analysed.
  std::int64_t wouldDecideNow = 0;
  std::vector<MatchedError> samples;  // the newest
  // The enabled rules before it that match one of the samples.
  std::vector<std::string> earlierRules;
};

class RuleStore {
 public:
  template <typename T>
  using Answer = domain::Answer<T, RuleRefusal>;

  explicit RuleStore(database::Clients clients) : clients_(clients) {}

  // In the order in which they are applied.
  [[nodiscard]] drogon::Task<domain::Answer<std::vector<Rule>>> page(std::optional<RulePlace> after,
                                                                     std::size_t rows,
                                                                     database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<Rule>> find(domain::RuleId id, database::Deadline deadline);

  [[nodiscard]] drogon::Task<Answer<Rule>> create(RuleSettings settings, std::string by,
                                                  database::Deadline deadline);
  // Without a position it keeps its current one. A rule with an age examines all errors again.
  [[nodiscard]] drogon::Task<Answer<Rule>> replace(domain::RuleId id, RuleSettings settings,
                                                   std::string by, database::Deadline deadline);
  // Its decisions are not undone.
  [[nodiscard]] drogon::Task<Answer<void>> remove(domain::RuleId id, database::Deadline deadline);

  // Previews a new rule with these settings. Changes nothing.
  [[nodiscard]] drogon::Task<Answer<RulePreview>> preview(RuleSettings settings,
                                                          database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::rules
