// Typed ids of stored rows: a bigint with a type for each kind of row, so that mixing them up does
// not compile. As small and fast as the number. Plain values, usable from any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <format>
#include <functional>
#include <ostream>

namespace auth_errors::domain {

template <typename Tag>
class Id {
 public:
  // 0 is no row: identities count from 1.
  constexpr Id() = default;
  constexpr explicit Id(std::int64_t value) : value_(value) {}

  // For the boundaries of the typed code: a header, a cursor, a JSON value.
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;
  friend std::ostream& operator<<(std::ostream& out, Id id) { return out << id.value_; }

 private:
  std::int64_t value_ = 0;
};

using ErrorId = Id<struct ErrorIdTag>;
using OutboxId = Id<struct OutboxIdTag>;
using DecisionId = Id<struct DecisionIdTag>;
using DeadLetterId = Id<struct DeadLetterIdTag>;
using ClusterId = Id<struct ClusterIdTag>;
using SplitId = Id<struct SplitIdTag>;
using JobId = Id<struct JobIdTag>;
using RuleId = Id<struct RuleIdTag>;
using KeyId = Id<struct KeyIdTag>;

}  // namespace auth_errors::domain

template <typename Tag>
struct std::hash<auth_errors::domain::Id<Tag>> {
  std::size_t operator()(auth_errors::domain::Id<Tag> id) const noexcept {
    return std::hash<std::int64_t>()(id.value());
  }
};

template <typename Tag>
struct std::formatter<auth_errors::domain::Id<Tag>> : std::formatter<std::int64_t> {
  auto format(auth_errors::domain::Id<Tag> id, auto& context) const {
    return std::formatter<std::int64_t>::format(id.value(), context);
  }
};
