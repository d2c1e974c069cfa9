// Why a read gave nothing, as a refusal. Pure; any thread.
#pragma once

#include "controllers/http/problem.h"
#include "triage/errors/read_fault.h"

namespace auth_errors::controllers {

inline Refusal refusalFor(triage::ReadFault fault) {
  if (fault == triage::ReadFault::tooSlow) {
    return {
        .reason = RejectReason::queryTooSlow,
        .details = {.detail = "Narrow it: a shorter time between from and to, or more filters."}};
  }
  return {.reason = RejectReason::databaseUnavailable, .details = {}};
}

}  // namespace auth_errors::controllers
