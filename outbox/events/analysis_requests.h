// SQL for the event that requests an error's analysis, shared by the first round, written by the
// consumer, and later rounds, requested by decisions. Pure.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::outbox {

// Inserts an event for each row of `source`, a FROM clause that names its AuthErrors `e`; the other
// two are expressions over it.
std::string insertAnalysisRequests(std::string_view idempotencyKey, std::string_view traceparent,
                                   std::string_view source);

}  // namespace auth_errors::outbox
