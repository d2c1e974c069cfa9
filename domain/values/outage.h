// Why the database gave no answer: the one vocabulary of every store. A store adds only the
// refusals of its own subject, beside it: Answer<Rule, RuleRefusal>. Plain values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <utility>
#include <variant>

namespace auth_errors::domain {

enum class Outage : std::uint8_t {
  unavailable,     // surely nothing was done: the database is away, or refuses
  outcomeUnknown,  // the database may have done it: its answer was lost
  tooSlow,         // it would have taken longer than the deadline allows; nothing was done
};

// Either an outage or a refusal. Both turn into it, so that `co_return std::unexpected(…)` takes
// either.
template <typename Refusal>
class OutageOr {
 public:
  OutageOr(Outage outage) : value_(outage) {}
  OutageOr(Refusal refusal) : value_(std::move(refusal)) {}

  // Null if it is a refusal.
  [[nodiscard]] const Outage* outage() const { return std::get_if<Outage>(&value_); }
  // REQUIRES: it is no outage.
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

// What a store answers. One without refusals of its own has outages alone.
template <typename T, typename Refusal = void>
using Answer = std::expected<T, typename FailureOf<Refusal>::Type>;

}  // namespace auth_errors::domain
