#include "consumer/analysis_handler.h"

#include <format>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/identity/ids.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/route_upgrade.h"
#include "triage/errors/status_changes.h"
#include "triage/rules/rule_application.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::consumer {
namespace {

const database::Statement kLoadTraces{
    .name = "load_traces",
    .sql = std::format("SELECT e.id, {} FROM auth_error e WHERE e.id = ANY($1::bigint[])",
                       clusters::kFaultColumns)};

struct Trace {
  domain::ErrorId authErrorId;
  clusters::FaultRow fault;
};

}  // namespace

AnalysisHandler::AnalysisHandler(database::Client& client, domain::InstanceName instance,
                                 std::chrono::milliseconds databaseDeadline,
                                 rules::Metrics& metrics)
    : client_(client),
      instance_(std::move(instance)),
      databaseDeadline_(databaseDeadline),
      metrics_(metrics) {}

drogon::Task<void> AnalysisHandler::setUp() {
  if (!routesUpgraded_) {
    co_await clusters::upgradeRoutes(client_, databaseDeadline_);
    routesUpgraded_ = true;
  }
}

drogon::Task<Prepared> AnalysisHandler::prepare(std::vector<EventInHand> events) {
  std::vector<domain::ErrorId> ids;
  for (const EventInHand& event : events) {
    if (domain::transition(event.status, domain::StatusEvent::analysisCompleted)) {
      ids.push_back(event.authErrorId);
    }
  }
  const database::Result traces =
      co_await client_.run(kLoadTraces, std::chrono::steady_clock::now() + databaseDeadline_, ids);
  Faults faults;
  for (const Trace& trace : traces.as<Trace>()) {
    faults[trace.authErrorId] = clusters::toFault(trace.fault);
  }
  Prepared prepared;
  prepared.outcomes.reserve(events.size());
  for (const EventInHand& event : events) {
    if (faults.contains(event.authErrorId)) {
      prepared.outcomes.push_back({.kind = OutcomeKind::done, .error = {}});
    } else if (event.status == domain::AuthErrorStatus::fresh) {
      // The event overtook the one that requests the analysis.
      prepared.outcomes.push_back(
          {.kind = OutcomeKind::retry, .error = "the analysis has not been requested yet"});
    } else {
      prepared.outcomes.push_back({.kind = OutcomeKind::skip, .error = {}});
    }
  }
  prepared.apply = [this, faults = std::move(faults)](database::Transaction& transaction,
                                                      std::vector<EventInHand> ours) {
    return apply(transaction, faults, std::move(ours));
  };
  co_return prepared;
}

drogon::Task<database::AfterCommit> AnalysisHandler::apply(database::Transaction& transaction,
                                                           Faults faults,
                                                           std::vector<EventInHand> events) {
  std::vector<triage::Analysis> analyses;
  analyses.reserve(events.size());
  for (const EventInHand& event : events) {
    analyses.push_back(
        {.authErrorId = event.authErrorId, .stackHash = faults.at(event.authErrorId).stackHash});
  }
  const std::vector<domain::ErrorId> completed =
      co_await triage::completeAnalyses(transaction, std::move(analyses), instance_);
  std::vector<clusters::AnalysedError> placed;
  placed.reserve(completed.size());
  for (const domain::ErrorId id : completed) {
    placed.push_back({.authErrorId = id, .fault = std::move(faults.at(id))});
  }
  co_await clusters::placeErrors(transaction, std::move(placed), instance_);
  const rules::RuleWork work = co_await rules::applyRules(transaction, completed);
  co_return [this, work] { rules::count(metrics_, work); };
}

}  // namespace auth_errors::consumer
