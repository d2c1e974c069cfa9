// Why a database call failed: the common vocabulary of all stores. A store only adds the refusals
// of its own subject: Answer<Rule, RuleRefusal>. Plain values, usable from any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <utility>
#include <variant>

namespace auth_errors::domain {

enum class Outage : std::uint8_t {
  unavailable,     // nothing was done: the database is unreachable or refuses
  outcomeUnknown,  // the database may have done it: its response was lost
  tooSlow,         // it would have exceeded the deadline; nothing was done
};

// Either an outage or a refusal. Converts from both, so that `co_return std::unexpected(…)` accepts
// either.
template <typename Refusal>
class OutageOr {
 public:
  OutageOr(Outage outage) : value_(outage) {}
  OutageOr(Refusal refusal) : value_(std::move(refusal)) {}

  // Null for a refusal.
  [[nodiscard]] const Outage* outage() const { return std::get_if<Outage>(&value_); }
  // REQUIRES: not an outage.
  [[nodiscard]] const Refusal& refusal() const { return std::get<Refusal>(value_); }

  friend bool operator==(const OutageOr& failure, Outage outage) {
    return failure.outage() != nullptr && *failure.outage() == outage;
  }
  friend bool operator==(const OutageOr& failure, const Refusal& refusal)
    requires requires { refusal == refusal; }
  {
    return failure.outage() == nullptr && failure.refusal() == refusal;
  }

 private:
  std::variant<Outage, Refusal> value_;
};

template <typename Refusal>
struct FailureOf {
  using Type = OutageOr<Refusal>;
};
template <>
struct FailureOf<void> {
  using Type = Outage;
};

// The result of a store. Without a refusal type it can only fail with an outage.
template <typename T, typename Refusal = void>
using Answer = std::expected<T, typename FailureOf<Refusal>::Type>;

}  // namespace auth_errors::domain
