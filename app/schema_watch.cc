#include "app/schema_watch.h"

#include <chrono>
#include <exception>
#include <utility>

#include "app/database_options.h"
#include "platform/telemetry/log.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;

constexpr auto kInterval = 500ms;
constexpr auto kCheckDeadline = 2s;

}  // namespace

SchemaWatch::SchemaWatch(const Settings& settings, trantor::EventLoop& mainLoop)
    : settings_(settings),
      loop_(mainLoop),
      known_(database::readMigrations(settings.database.migrations)),
      client_(std::make_unique<database::Client>(mainLoop, databaseOptions(settings, "schema"))),
      migrated_(!settings.database.migrateOnServe) {}

void SchemaWatch::start(std::function<void()> onCurrent) {
  onCurrent_ = std::move(onCurrent);
  timer_ = loop_.runEvery(kInterval, [this] { tick(); });
  tick();
}

void SchemaWatch::tick() {
  if (checking_) {
    return;
  }
  if (current_) {
    // Not where the last answer arrived: that was inside one of the client's own callbacks.
    loop_.invalidateTimer(timer_);
    client_.reset();
    return;
  }
  checking_ = true;
  drogon::async_run([this]() -> drogon::Task<> {
    try {
      co_await check();
    } catch (const std::exception& error) {
      report(error.what());
    }
    checking_ = false;
  });
}

drogon::Task<> SchemaWatch::check() {
  if (!migrated_) {
    co_await database::migrate(*client_, settings_.database.migrations,
                               std::chrono::steady_clock::now() + kMigrationDeadline);
    migrated_ = true;
  }
  const auto state = co_await database::migrationState(
      *client_, known_, std::chrono::steady_clock::now() + kCheckDeadline);
  if (state.pending > 0) {
    report(std::to_string(state.pending) + " migrations are pending: run auth-errors migrate");
    co_return;
  }
  telemetry::log(LogLevel::info, "schema.current",
                 {{"version", known_.back().version}, {"newer", state.unknownNewer.size()}});
  // First, since whoever hears that the schema is current takes it that all is started.
  onCurrent_();
  current_ = true;
}

void SchemaWatch::report(const std::string& fault) {
  if (!stopping_ && std::exchange(lastFault_, fault) != fault) {
    telemetry::log(LogLevel::warn, "schema.not_current", {{"reason", fault}});
  }
}

drogon::Task<> SchemaWatch::stop() {
  stopping_ = true;
  loop_.invalidateTimer(timer_);
  if (client_) {
    client_->close();
  }
  while (checking_) {
    co_await drogon::sleepCoro(&loop_, 10ms);
  }
  client_.reset();
}

}  // namespace auth_errors::app
