// Resolves a hash's cluster to the cluster that an error belongs to, following later splits and
// merges. A plain value; pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

namespace auth_errors::domain {

class ClusterMoves {
 public:
  void addMerge(std::int64_t from, std::int64_t into) { merges_[from] = into; }
  // Splits of one cluster are tried in the order in which they were added.
  void addSplit(std::int64_t from, std::int64_t splitId, std::int64_t into) {
    splits_[from].push_back({.id = splitId, .into = into});
  }

  // `matches` returns whether the error matches a split. If a split-off cluster was merged back,
  // the path reaches its origin again: that split is not followed a second time, but the other
  // splits of the cluster still apply.
  [[nodiscard]] std::int64_t destination(
      std::int64_t cluster, const std::function<bool(std::int64_t splitId)>& matches) const {
    std::set<std::int64_t> taken;
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
    std::int64_t id;
    std::int64_t into;
  };

  const Split* splitOf(std::int64_t cluster, const std::set<std::int64_t>& taken,
                       const std::function<bool(std::int64_t splitId)>& matches) const {
    const auto splits = splits_.find(cluster);
    if (splits == splits_.end()) {
      return nullptr;
    }
    const auto split = std::ranges::find_if(splits->second, [&](const Split& each) {
      return !taken.contains(each.id) && matches(each.id);
    });
    return split == splits->second.end() ? nullptr : &*split;
  }

  std::unordered_map<std::int64_t, std::int64_t> merges_;
  std::unordered_map<std::int64_t, std::vector<Split>> splits_;
};

}  // namespace auth_errors::domain
