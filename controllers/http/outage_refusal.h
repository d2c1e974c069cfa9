// The HTTP response to an outage of the database; no other code decides it. Pure; usable from any
// thread.
#pragma once

#include <string_view>
#include <utility>

#include "controllers/http/problem.h"
#include "domain/values/outage.h"

namespace auth_errors::controllers {

// Advice to the client in the problem document.
struct OutageAdvice {
  std::string_view outcomeUnknown = {};  // how to find out whether it was done
  std::string_view tooSlow = "Narrow the query: use a shorter time range or more filters.";
};

Refusal refusalFor(domain::Outage outage, const OutageAdvice& advice = {});

// `subject` turns the store's own refusals into a Refusal.
template <typename StoreRefusal, typename Subject>
Refusal refusalFor(const domain::OutageOr<StoreRefusal>& failure, const OutageAdvice& advice,
                   const Subject& subject) {
  return failure.outage() != nullptr ? refusalFor(*failure.outage(), advice)
                                     : subject(failure.refusal());
}

}  // namespace auth_errors::controllers
