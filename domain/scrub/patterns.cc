#include "domain/scrub/patterns.h"

#include <utility>

namespace auth_errors::domain {
namespace {

std::shared_ptr<const ScrubPatterns>& installed() {
  static std::shared_ptr<const ScrubPatterns> patterns;
  return patterns;
}

}  // namespace

void setScrubPatterns(std::shared_ptr<const ScrubPatterns> patterns) {
  installed() = std::move(patterns);
}

const ScrubPatterns* scrubPatterns() { return installed().get(); }

}  // namespace auth_errors::domain
