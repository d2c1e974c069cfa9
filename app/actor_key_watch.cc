#include "app/actor_key_watch.h"

#include <chrono>
#include <format>
#include <utility>

#include "platform/telemetry/log.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;
using Standing = ActorKeyWatch::Standing;

constexpr auto kCompareInterval = 3s;
constexpr auto kCompareDeadline = 1s;

// "version 1" or "versions 1, 2"
std::string versionsText(const std::vector<std::int32_t>& versions) {
  std::string text;
  for (const std::int32_t version : versions) {
    text += std::format("{}{}", text.empty() ? "" : ", ", version);
  }
  return std::format("version{} {}", versions.size() == 1 ? "" : "s", text);
}

Standing standingOf(const security::ActorKeyComparison& comparison, bool hasKeys) {
  if (!comparison.different.empty()) {
    return {.state = "mismatch",
            .problem = std::format("{} of the actor keys: other instances have a different secret",
                                   versionsText(comparison.different)),
            .ready = false};
  }
  if (comparison.missing.empty()) {
    return {.state = hasKeys ? "matching" : "none", .problem = {}, .ready = true};
  }
  if (!hasKeys) {
    return {.state = "missing",
            .problem = std::format("this instance has no actor keys; other instances have {}",
                                   versionsText(comparison.missing)),
            .ready = false};
  }
  return {.state = "incomplete",
          .problem = std::format("{} of the actor keys: only other instances have it",
                                 versionsText(comparison.missing)),
          .ready = true};
}

LogLevel levelOf(const Standing& standing) {
  if (!standing.ready) {
    return LogLevel::error;
  }
  return standing.problem.empty() ? LogLevel::info : LogLevel::warn;
}

}  // namespace

ActorKeyWatch::ActorKeyWatch(database::Client& client, std::vector<security::PseudonymKey> keys,
                             domain::InstanceName instance)
    : Worker(client.loop(), {.faultEvent = "actor_keys.not_compared", .interval = kCompareInterval},
             [this] { return runOnce(); }),
      client_(client),
      keys_(std::move(keys)),
      instance_(std::move(instance)) {}

ActorKeyWatch::Standing ActorKeyWatch::standing() const {
  const std::scoped_lock lock(mutex_);
  return standing_;
}

drogon::Task<Standing> ActorKeyWatch::runOnce() {
  const auto deadline = std::chrono::steady_clock::now() + kCompareDeadline;
  auto known = co_await security::listActorKeys(client_, deadline);
  auto comparison = security::compareActorKeys(keys_, known);
  // An instance that contradicts the others records nothing.
  if (comparison.different.empty() && !comparison.fresh.empty()) {
    telemetry::log(known.empty() ? LogLevel::info : LogLevel::warn, "actor_keys.new",
                   {{"versions", versionsText(comparison.fresh)}});
    co_await security::noteActorKeys(client_, keys_, instance_, deadline);
    // Another instance may have been first.
    known = co_await security::listActorKeys(client_, deadline);
    comparison = security::compareActorKeys(keys_, known);
  }
  Standing standing = standingOf(comparison, !keys_.empty());
  set(standing);
  co_return standing;
}

void ActorKeyWatch::set(Standing standing) {
  {
    const std::scoped_lock lock(mutex_);
    if (standing_.state == standing.state && standing_.problem == standing.problem) {
      return;
    }
    standing_ = standing;
  }
  telemetry::log(levelOf(standing), "actor_keys.compared",
                 {{"state", standing.state}, {"problem", standing.problem}});
}

}  // namespace auth_errors::app
