#include "platform/telemetry/labels.h"

namespace auth_errors::telemetry {

std::string LabelValues<RuntimeName>::text(std::string_view name) {
  if (name.empty()) {
    return "none";
  }
  const std::scoped_lock lock(mutex_);
  if (!known_.contains(name) && known_.size() == RuntimeName::kMost) {
    return "other";
  }
  return *known_.emplace(name).first;
}

}  // namespace auth_errors::telemetry
