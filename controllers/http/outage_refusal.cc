#include "controllers/http/outage_refusal.h"

#include <string>

namespace auth_errors::controllers {

Refusal refusalFor(domain::Outage outage, const OutageAdvice& advice) {
  switch (outage) {
    case domain::Outage::unavailable:
      return {.reason = RejectReason::databaseUnavailable, .details = {}};
    case domain::Outage::outcomeUnknown:
      return {.reason = RejectReason::outcomeUnknown,
              .details = {.detail = std::string(advice.outcomeUnknown)}};
    case domain::Outage::tooSlow:
      return {.reason = RejectReason::queryTooSlow,
              .details = {.detail = std::string(advice.tooSlow)}};
  }
  std::unreachable();
}

}  // namespace auth_errors::controllers
