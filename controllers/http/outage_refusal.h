// What an outage of the database is over HTTP: the one place that says so. Pure; any thread.
#pragma once

#include <string_view>
#include <utility>

#include "controllers/http/problem.h"
#include "domain/values/outage.h"

namespace auth_errors::controllers {

// What the problem document tells the client to do.
struct OutageAdvice {
  std::string_view outcomeUnknown = {};  // to learn what became of it
  std::string_view tooSlow = "Narrow the query: use a shorter time range or more filters.";
};

Refusal refusalFor(domain::Outage outage, const OutageAdvice& advice = {});

// `subject` turns the refusals of the store's own subject into a Refusal.
template <typename StoreRefusal, typename Subject>
Refusal refusalFor(const domain::OutageOr<StoreRefusal>& failure, const OutageAdvice& advice,
                   const Subject& subject) {
  return failure.outage() != nullptr ? refusalFor(*failure.outage(), advice)
                                     : subject(failure.refusal());
}

}  // namespace auth_errors::controllers
