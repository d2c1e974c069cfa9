#include "platform/security/key_directory.h"

#include <exception>
#include <string_view>
#include <utility>

#include "platform/database/answer.h"
#include "platform/hashing/digest.h"
#include "platform/telemetry/log.h"

namespace auth_errors::security {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;

// Notifications arrive immediately; the poll covers those lost with their connection.
constexpr std::chrono::milliseconds kPollInterval = 3s;
constexpr std::chrono::milliseconds kRetryInterval = 500ms;
constexpr auto kLoadDeadline = 2s;

}  // namespace

KeyDirectory::KeyDirectory(trantor::EventLoop& loop, Options options)
    : Worker(
          loop,
          {.faultEvent = "keys.not_loaded",
           .interval = kPollInterval,
           .afterFailures = workers::Pauses{.shortest = kRetryInterval, .longest = kRetryInterval}},
          [this] { return runOnce(); }),
      options_(std::move(options)),
      client_(std::make_unique<database::Client>(loop, options_.database)) {}

void KeyDirectory::start() {
  listener_ = std::make_unique<database::Listener>(
      loop(), options_.database, kKeysChannel,
      database::Listener::Callbacks{.onNotification = [this](std::string_view) { wake(); },
                                    .onListening = [this] { wake(); }});
  Worker::start();
}

drogon::Task<bool> KeyDirectory::stop(Deadline deadline) {
  listener_.reset();
  client_->close();
  const bool ended = co_await Worker::stop(deadline);
  if (ended) {
    client_.reset();
  }
  co_return ended;
}

// Loads take turns on the one connection, so a ring is never replaced by an older one.
drogon::Task<std::size_t> KeyDirectory::runOnce() {
  auto keys = co_await loadActiveKeys(*client_, Clock::now() + kLoadDeadline);
  const auto before = ring();
  ring_ = std::make_shared<const KeyRing>(std::move(keys), options_.defaultRate, before.get());
  if (before == nullptr || faults().failing()) {
    telemetry::log(LogLevel::info, "keys.loaded", {{"keys", ring()->size()}});
  }
  co_return ring()->size();
}

// Follows a change of our own, which has been committed whether or not it can be read back now.
drogon::Task<> KeyDirectory::loadChanged() {
  try {
    co_await runOnce();
    faults().succeeded();
  } catch (const std::exception& error) {
    faults().failed(error.what());
  }
}

template <typename Answer, typename Action>
drogon::Task<Answer> KeyDirectory::onLoop(Action action) {
  trantor::EventLoop* const callersLoop = trantor::EventLoop::getEventLoopOfCurrentThread();
  co_await drogon::switchThreadCoro(&loop());
  Answer answer = std::unexpected(domain::Outage::unavailable);
  std::exception_ptr unforeseen;
  try {
    answer = co_await action(database::Call{
        .client = *client_, .deadline = Clock::now() + options_.deadline, .event = "keys.failed"});
  } catch (...) {
    unforeseen = std::current_exception();
  }
  co_await drogon::switchThreadCoro(callersLoop);
  if (unforeseen) {
    std::rethrow_exception(unforeseen);
  }
  co_return answer;
}

drogon::Task<domain::Answer<CreatedKey, KeyRefusal>> KeyDirectory::create(NewKey key,
                                                                          std::string createdBy) {
  using Answer = domain::Answer<CreatedKey, KeyRefusal>;
  return onLoop<Answer>([this, key = std::move(key), createdBy = std::move(createdBy)](
                            database::Call call) -> drogon::Task<Answer> {
    std::string secret = makeSecret();
    auto record = co_await database::write(
        call, [&]() -> drogon::Task<domain::Answer<KeyRecord, KeyRefusal>> {
          co_return co_await insertKey(call.client, key, hashing::sha256(secret), createdBy,
                                       call.deadline);
        });
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

drogon::Task<domain::Answer<Revocation, KeyRefusal>> KeyDirectory::revoke(domain::KeyId id,
                                                                          std::string revokedBy) {
  using Answer = domain::Answer<Revocation, KeyRefusal>;
  return onLoop<Answer>(
      [this, id, revokedBy = std::move(revokedBy)](database::Call call) -> drogon::Task<Answer> {
        auto revocation = co_await database::write(call, [&]() -> drogon::Task<Answer> {
          co_return co_await revokeKey(call.client, id, revokedBy, call.deadline);
        });
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

drogon::Task<domain::Answer<KeyRecord, KeyRefusal>> KeyDirectory::find(domain::KeyId id) {
  using Answer = domain::Answer<KeyRecord, KeyRefusal>;
  return onLoop<Answer>([id](database::Call call) -> drogon::Task<Answer> {
    co_return co_await database::read(call, [&]() -> drogon::Task<Answer> {
      auto record = co_await findKey(call.client, id, call.deadline);
      if (!record) {
        co_return std::unexpected(KeyRefusal::unknown);
      }
      co_return *std::move(record);
    });
  });
}

drogon::Task<domain::Answer<std::vector<KeyRecord>>> KeyDirectory::list(
    std::optional<domain::KeyId> below, std::int64_t limit) {
  using Answer = domain::Answer<std::vector<KeyRecord>>;
  return onLoop<Answer>([below, limit](database::Call call) -> drogon::Task<Answer> {
    co_return co_await database::read(call, [&]() -> drogon::Task<Answer> {
      co_return co_await listKeys(call.client, below, limit, call.deadline);
    });
  });
}

}  // namespace auth_errors::security
