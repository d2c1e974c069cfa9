// Checks whether the database's schema is the one this binary expects, until it is, which is then
// final; applies pending migrations first if configured. Runs on the main loop; current() may be
// called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/settings.h"
#include "platform/database/client.h"
#include "platform/database/migrator.h"
#include "platform/workers/worker.h"

namespace auth_errors::app {

class SchemaWatch final : public workers::Worker {
 public:
  // `onCurrent` is called once the schema is current, and again if it throws. Throws
  // std::invalid_argument on an invalid database URL, database::MigrationError on invalid files.
  SchemaWatch(const Settings& settings, trantor::EventLoop& mainLoop,
              std::function<void()> onCurrent);

  drogon::Task<bool> stop(Deadline deadline) override;

  // Returns the number of pending migrations.
  drogon::Task<std::size_t> runOnce();

  [[nodiscard]] bool current() const { return current_; }

 private:
  drogon::Task<workers::Then> run();

  const Settings& settings_;
  std::function<void()> onCurrent_;
  std::vector<database::Migration> known_;
  std::unique_ptr<database::Client> client_;
  std::atomic<bool> current_ = false;
  bool migrated_ = false;
};

}  // namespace auth_errors::app
