#include "platform/security/key_directory.h"

#include <exception>
#include <string_view>
#include <utility>

#include "platform/database/error.h"
#include "platform/telemetry/log.h"

namespace auth_errors::security {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;

// Notifications come at once; the poll is for those that got lost with their connection.
constexpr auto kPollInterval = 3s;
constexpr auto kRetryInterval = 500ms;
constexpr auto kLoadDeadline = 2s;

}  // namespace

KeyDirectory::KeyDirectory(trantor::EventLoop& loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      client_(std::make_unique<database::Client>(loop, options_.database)) {}

void KeyDirectory::start() {
  listener_ = std::make_unique<database::Listener>(
      loop_, options_.database, kKeysChannel,
      database::Listener::Callbacks{.onNotification = [this](std::string_view) { refresh(); },
                                    .onListening = [this] { refresh(); }});
  timer_ = loop_.runEvery(kRetryInterval, [this] { tick(); });
  refresh();
}

drogon::Task<> KeyDirectory::stop() {
  stopping_ = true;
  loop_.invalidateTimer(timer_);
  listener_.reset();
  client_->close();
  while (loading_) {
    co_await drogon::sleepCoro(&loop_, 10ms);
  }
  client_.reset();
}

void KeyDirectory::tick() {
  if (ring() == nullptr || Clock::now() - loadedAt_ >= kPollInterval) {
    refresh();
  }
}

void KeyDirectory::refresh() {
  loadAgain_ = true;
  if (loading_ || stopping_) {
    return;
  }
  loading_ = true;
  drogon::async_run([this]() -> drogon::Task<> {
    while (std::exchange(loadAgain_, false) && !stopping_) {
      try {
        co_await load();
      } catch (const std::exception& error) {
        report(error.what());
      }
    }
    loading_ = false;
  });
}

// Loads take turns on the one connection, so a ring is never replaced by an older one.
drogon::Task<> KeyDirectory::load() {
  auto keys = co_await loadActiveKeys(*client_, Clock::now() + kLoadDeadline);
  const auto before = ring();
  ring_ = std::make_shared<const KeyRing>(std::move(keys), options_.defaultRate, before.get());
  loadedAt_ = Clock::now();
  if (before == nullptr || !lastFault_.empty()) {
    telemetry::log(LogLevel::info, "keys.loaded", {{"keys", ring()->size()}});
  }
  lastFault_.clear();
}

void KeyDirectory::report(const std::string& fault) {
  if (!stopping_ && std::exchange(lastFault_, fault) != fault) {
    telemetry::log(LogLevel::warn, "keys.not_loaded", {{"reason", fault}});
  }
}

// After a change of our own, which has happened whether or not it can be read back now.
drogon::Task<> KeyDirectory::loadChanged() {
  try {
    co_await load();
  } catch (const std::exception& error) {
    report(error.what());
  }
}

template <typename Value, typename MakeTask>
drogon::Task<std::expected<Value, KeyFault>> KeyDirectory::onLoop(MakeTask makeTask) {
  trantor::EventLoop* const callersLoop = trantor::EventLoop::getEventLoopOfCurrentThread();
  co_await drogon::switchThreadCoro(&loop_);
  std::expected<Value, KeyFault> value = std::unexpected(KeyFault::unavailable);
  std::exception_ptr unforeseen;
  try {
    value = co_await makeTask();
  } catch (const database::Error& error) {
    // Refused for the server's own reasons counts as away, as it does for ingestion.
    if (error.isDataFault()) {
      unforeseen = std::current_exception();
    } else if (error.failure() == database::Failure::outcomeUnknown) {
      value = std::unexpected(KeyFault::outcomeUnknown);
    }
  } catch (...) {
    unforeseen = std::current_exception();
  }
  co_await drogon::switchThreadCoro(callersLoop);
  if (unforeseen) {
    std::rethrow_exception(unforeseen);
  }
  co_return value;
}

drogon::Task<std::expected<CreatedKey, KeyFault>> KeyDirectory::create(NewKey key,
                                                                       std::string createdBy) {
  return onLoop<CreatedKey>([this, key = std::move(key), createdBy = std::move(createdBy)]()
                                -> drogon::Task<std::expected<CreatedKey, KeyFault>> {
    std::string secret = makeSecret();
    auto record = co_await insertKey(*client_, key, sha256(secret), createdBy,
                                     Clock::now() + options_.deadline);
    if (!record) {
      co_return std::unexpected(record.error());
    }
    telemetry::log(
        LogLevel::info, "key.created",
        {{"name", record->key.name}, {"role", record->key.role.text()}, {"by", record->createdBy}});
    co_await loadChanged();
    co_return CreatedKey{.record = *std::move(record), .secret = std::move(secret)};
  });
}

drogon::Task<std::expected<Revocation, KeyFault>> KeyDirectory::revoke(std::int64_t id,
                                                                       std::string revokedBy) {
  return onLoop<Revocation>([this, id, revokedBy = std::move(revokedBy)]()
                                -> drogon::Task<std::expected<Revocation, KeyFault>> {
    auto revocation = co_await revokeKey(*client_, id, revokedBy, Clock::now() + options_.deadline);
    if (revocation && !revocation->repeated) {
      telemetry::log(LogLevel::info, "key.revoked",
                     {{"name", revocation->record.key.name},
                      {"role", revocation->record.key.role.text()},
                      {"by", revokedBy}});
      co_await loadChanged();
    }
    co_return revocation;
  });
}

drogon::Task<std::expected<KeyRecord, KeyFault>> KeyDirectory::find(std::int64_t id) {
  return onLoop<KeyRecord>([this, id]() -> drogon::Task<std::expected<KeyRecord, KeyFault>> {
    auto record = co_await findKey(*client_, id, Clock::now() + options_.deadline);
    if (!record) {
      co_return std::unexpected(KeyFault::unknown);
    }
    co_return *std::move(record);
  });
}

drogon::Task<std::expected<std::vector<KeyRecord>, KeyFault>> KeyDirectory::list(
    std::optional<std::int64_t> below, std::int64_t limit) {
  return onLoop<std::vector<KeyRecord>>(
      [this, below, limit]() -> drogon::Task<std::expected<std::vector<KeyRecord>, KeyFault>> {
        co_return co_await listKeys(*client_, below, limit, Clock::now() + options_.deadline);
      });
}

}  // namespace auth_errors::security
