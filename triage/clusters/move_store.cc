#include "triage/clusters/move_store.h"

#include <string_view>
#include <utility>

#include "platform/database/answer.h"
#include "triage/clusters/cluster_merge.h"
#include "triage/clusters/cluster_split.h"
#include "triage/clusters/clusters_to_move.h"

namespace auth_errors::clusters {
namespace {

constexpr std::string_view kMovingFailed = "reading.failed";

}  // namespace

drogon::Task<MoveAnswer<MergePreview>> MoveStore::previewMerge(domain::ClusterId source,
                                                               domain::ClusterId target,
                                                               database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveRefusal::Reason::sameCluster);
  }
  co_return co_await database::transact(
      {.client = clients_.searches, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return previewMergeIn(transaction, source, target);
      });
}

drogon::Task<MoveAnswer<jobs::Job>> MoveStore::merge(domain::ClusterId source,
                                                     domain::ClusterId target, MoveOrder order,
                                                     database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveRefusal::Reason::sameCluster);
  }
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return mergeIn(transaction, source, target, order);
      });
}

drogon::Task<MoveAnswer<SplitPreview>> MoveStore::previewSplit(domain::ClusterId source,
                                                               SplitChoice choice,
                                                               database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.searches, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return previewSplitIn(transaction, source, choice);
      });
}

drogon::Task<MoveAnswer<SplitMade>> MoveStore::split(domain::ClusterId source, SplitChoice choice,
                                                     MoveOrder order, database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return splitIn(transaction, source, choice, order);
      });
}

}  // namespace auth_errors::clusters
