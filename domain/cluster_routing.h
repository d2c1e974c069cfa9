// The way from the cluster that a hash leads to, over what people have split and merged since, to
// the cluster that an error belongs to. A plain value; pure.
#pragma once

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

  // `matches` tells whether the error matches this split. What was split off and merged back comes
  // to a cluster again: it stays there, for its splits are tried once only.
  [[nodiscard]] std::int64_t destination(
      std::int64_t cluster, const std::function<bool(std::int64_t splitId)>& matches) const {
    std::set<std::int64_t> tried;
    while (true) {
      const auto next = splitOf(cluster, tried, matches);
      const auto merge = merges_.find(cluster);
      if (next != nullptr) {
        cluster = next->into;
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

  const Split* splitOf(std::int64_t cluster, std::set<std::int64_t>& tried,
                       const std::function<bool(std::int64_t splitId)>& matches) const {
    const auto splits = splits_.find(cluster);
    if (splits == splits_.end() || !tried.insert(cluster).second) {
      return nullptr;
    }
    for (const Split& split : splits->second) {
      if (matches(split.id)) {
        return &split;
      }
    }
    return nullptr;
  }

  std::unordered_map<std::int64_t, std::int64_t> merges_;
  std::unordered_map<std::int64_t, std::vector<Split>> splits_;
};

}  // namespace auth_errors::domain
