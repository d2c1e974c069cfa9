#include "app/schema_watch.h"

#include <chrono>
#include <format>
#include <stdexcept>
#include <utility>

#include "app/database_options.h"
#include "platform/telemetry/log.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;
using workers::Then;

constexpr std::chrono::milliseconds kSchemaInterval = 500ms;
constexpr auto kCheckDeadline = 2s;

}  // namespace

SchemaWatch::SchemaWatch(const Settings& settings, trantor::EventLoop& mainLoop,
                         std::function<void()> onCurrent)
    : Worker(mainLoop, {.faultEvent = "schema.not_current", .interval = kSchemaInterval},
             [this] { return run(); }),
      settings_(settings),
      onCurrent_(std::move(onCurrent)),
      known_(database::readMigrations(settings.database.migrations)),
      client_(std::make_unique<database::Client>(mainLoop, databaseOptions(settings, "schema"))),
      migrated_(!settings.database.migrateOnServe) {}

drogon::Task<Then> SchemaWatch::run() {
  if (const std::size_t pending = co_await runOnce(); pending > 0) {
    throw std::runtime_error(
        std::format("{} migrations are pending: run auth-errors migrate", pending));
  }
  // Called first, because callers assume that everything is started once the schema is current.
  onCurrent_();
  current_ = true;
  client_.reset();
  co_return Then::end;
}

drogon::Task<std::size_t> SchemaWatch::runOnce() {
  if (!migrated_) {
    co_await database::migrate(*client_, settings_.database.migrations,
                               std::chrono::steady_clock::now() + kMigrationDeadline);
    migrated_ = true;
  }
  const auto state = co_await database::migrationState(
      *client_, known_, std::chrono::steady_clock::now() + kCheckDeadline);
  if (state.pending == 0) {
    telemetry::log(telemetry::LogLevel::info, "schema.current",
                   {{"version", known_.back().version}, {"newer", state.unknownNewer.size()}});
  }
  co_return state.pending;
}

drogon::Task<bool> SchemaWatch::stop(Deadline deadline) {
  if (client_) {
    client_->close();
  }
  const bool ended = co_await Worker::stop(deadline);
  if (ended) {
    client_.reset();
  }
  co_return ended;
}

}  // namespace auth_errors::app
