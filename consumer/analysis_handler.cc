#include "consumer/analysis_handler.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "domain/auth_error_transitions.h"
#include "domain/stack_hash.h"
#include "lifecycle/status_changes.h"
#include "security/digest.h"

namespace auth_errors::consumer {
namespace {

const database::Statement kLoadTraces{
    .name = "load_traces",
    .sql =
        "SELECT id, exception_class, root_cause_class, exception_message, stacktrace "
        "FROM auth_error WHERE id = ANY($1::bigint[])"};

}  // namespace

AnalysisHandler::AnalysisHandler(database::Client& client, std::string instance,
                                 std::chrono::milliseconds databaseDeadline)
    : client_(client), instance_(std::move(instance)), databaseDeadline_(databaseDeadline) {}

drogon::Task<Prepared> AnalysisHandler::prepare(std::vector<EventInHand> events) {
  std::vector<std::int64_t> ids;
  for (const EventInHand& event : events) {
    if (domain::transition(event.status, domain::StatusEvent::analysisCompleted)) {
      ids.push_back(event.authErrorId);
    }
  }
  database::Parameters parameters;
  parameters.addArray(ids);
  const database::Result traces = co_await client_.run(
      kLoadTraces, std::move(parameters), std::chrono::steady_clock::now() + databaseDeadline_);
  std::unordered_map<std::int64_t, std::string> hashes;
  for (std::size_t row = 0; row < traces.rows(); ++row) {
    const std::string content = domain::stackHashContent(
        {.exceptionClass = traces.value<std::string_view>(row, 1),
         .rootCauseClass = traces.value<std::optional<std::string_view>>(row, 2).value_or(""),
         .exceptionMessage = traces.value<std::optional<std::string_view>>(row, 3).value_or(""),
         .stacktrace = traces.value<std::string_view>(row, 4)});
    hashes[traces.value<std::int64_t>(row, 0)] = security::toHex(security::sha256(content));
  }
  Prepared prepared;
  prepared.outcomes.reserve(events.size());
  for (const EventInHand& event : events) {
    if (hashes.contains(event.authErrorId)) {
      prepared.outcomes.push_back({.kind = OutcomeKind::done, .error = {}});
    } else if (event.status == domain::AuthErrorStatus::fresh) {
      // It overtook the event that asks for it.
      prepared.outcomes.push_back(
          {.kind = OutcomeKind::retry, .error = "the analysis has not been requested yet"});
    } else {
      prepared.outcomes.push_back({.kind = OutcomeKind::skip, .error = {}});
    }
  }
  prepared.apply = [this, hashes = std::move(hashes)](
                       database::Transaction& transaction, std::vector<EventInHand> ours,
                       database::Deadline deadline) -> drogon::Task<void> {
    std::vector<lifecycle::Analysis> analyses;
    analyses.reserve(ours.size());
    for (const EventInHand& event : ours) {
      analyses.push_back(
          {.authErrorId = event.authErrorId, .stackHash = hashes.at(event.authErrorId)});
    }
    co_await lifecycle::completeAnalyses(transaction, std::move(analyses), instance_, deadline);
  };
  co_return prepared;
}

}  // namespace auth_errors::consumer
