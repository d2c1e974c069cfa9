// Is the database's schema the one this binary knows? Asks until the answer is yes, which then
// stays; applies pending migrations first if it is told to. Lives on the main loop; current() is
// for any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/settings.h"
#include "platform/database/client.h"
#include "platform/database/migrator.h"

namespace auth_errors::app {

class SchemaWatch {
 public:
  // Throws std::invalid_argument on a bad database URL, database::MigrationError on bad files.
  SchemaWatch(const Settings& settings, trantor::EventLoop& mainLoop);

  // Calls back once, when the schema has turned out to be current.
  void start(std::function<void()> onCurrent);
  drogon::Task<> stop();
  [[nodiscard]] bool current() const { return current_; }

 private:
  void tick();
  drogon::Task<> check();
  void report(const std::string& fault);

  const Settings& settings_;
  trantor::EventLoop& loop_;
  std::vector<database::Migration> known_;
  std::unique_ptr<database::Client> client_;
  std::function<void()> onCurrent_;
  std::atomic<bool> current_ = false;
  bool checking_ = false;
  bool migrated_ = false;
  bool stopping_ = false;
  std::string lastFault_;
  trantor::TimerId timer_ = 0;
};

}  // namespace auth_errors::app
