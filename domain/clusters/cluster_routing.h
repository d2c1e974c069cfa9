// Resolves a hash's cluster to the cluster that an error belongs to, following later splits and
// merges. A plain value; pure.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "domain/identity/ids.h"

namespace auth_errors::domain {

class ClusterMoves {
 public:
  void addMerge(ClusterId from, ClusterId into) { merges_[from] = into; }
  // Splits of one cluster are tried in the order in which they were added.
  void addSplit(ClusterId from, SplitId splitId, ClusterId into) {
    splits_[from].push_back({.id = splitId, .into = into});
  }

  // `matches` returns whether the error matches a split. If a split-off cluster was merged back,
  // the path reaches its origin again: that split is not followed a second time, but the other
  // splits of the cluster still apply.
  [[nodiscard]] ClusterId destination(ClusterId cluster,
                                      const std::function<bool(SplitId splitId)>& matches) const {
    std::set<SplitId> taken;
    while (true) {
      const Split* const split = splitOf(cluster, taken, matches);
      const auto merge = merges_.find(cluster);
      if (split != nullptr) {
        taken.insert(split->id);
        cluster = split->into;
      } else if (merge != merges_.end()) {
        cluster = merge->second;
      } else {
        return cluster;
      }
    }
  }

 private:
  struct Split {
    SplitId id;
    ClusterId into;
  };

  const Split* splitOf(ClusterId cluster, const std::set<SplitId>& taken,
                       const std::function<bool(SplitId splitId)>& matches) const {
    const auto splits = splits_.find(cluster);
    if (splits == splits_.end()) {
      return nullptr;
    }
    const auto split = std::ranges::find_if(splits->second, [&](const Split& each) {
      return !taken.contains(each.id) && matches(each.id);
    });
    return split == splits->second.end() ? nullptr : &*split;
  }

  std::unordered_map<ClusterId, ClusterId> merges_;
  std::unordered_map<ClusterId, std::vector<Split>> splits_;
};

}  // namespace auth_errors::domain
