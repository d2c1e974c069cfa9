#include "platform/database/listener.h"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/database_fixture.h"

namespace auth_errors::tests {
namespace {

using database::Listener;
using testing::Contains;
using testing::ElementsAre;

class DatabaseListener : public DatabaseTest {
 protected:
  DatabaseListener() : DatabaseTest(Contents::nothing) {}
  ~DatabaseListener() override {
    callOn(clients_.loop(), [this] { listener_.reset(); });
  }

  void listen(const std::string& channel) {
    callOn(clients_.loop(), [&] {
      listener_ = std::make_unique<Listener>(
          clients_.loop(), options(), channel,
          Listener::Callbacks{.onNotification = [this](std::string_view payload) { note(payload); },
                              .onListening = [this] { note("listening"); }});
    });
    ASSERT_TRUE(eventually([this] { return listener_->listening(); }));
  }
  void note(std::string_view event) {
    const std::scoped_lock lock(mutex_);
    events_.emplace_back(event);
  }
  std::vector<std::string> events() {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

  std::mutex mutex_;
  std::vector<std::string> events_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(DatabaseListener, DeliversNotificationsInOrder) {
  listen("Odd \"channel\"");
  database_.execute(R"(SELECT pg_notify('Odd "channel"', i::text) FROM generate_series(1, 3) i)");
  database_.execute("NOTIFY other, 'not for us'");
  database_.execute(R"(NOTIFY "Odd ""channel""")");
  ASSERT_TRUE(eventually([this] { return events().size() == 5; }));
  EXPECT_THAT(events(), ElementsAre("listening", "1", "2", "3", ""));
}

TEST_F(DatabaseListener, ReportsEachReconnect) {
  listen("wake");
  database_.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
      "'database-test' AND datname = current_database()");
  ASSERT_TRUE(eventually([this] { return events().size() == 2; }));
  EXPECT_THAT(events(), ElementsAre("listening", "listening"));
  database_.execute("NOTIFY wake, 'again'");
  ASSERT_TRUE(eventually([this] { return events().size() == 3; }));
  EXPECT_THAT(events(), Contains("again"));
}

TEST_F(DatabaseListener, MayBeClosedFromItsCallback) {
  callOn(clients_.loop(), [this] {
    listener_ =
        std::make_unique<Listener>(clients_.loop(), options(), "wake",
                                   Listener::Callbacks{.onNotification =
                                                           [this](std::string_view payload) {
                                                             note(payload);
                                                             listener_->close();
                                                           },
                                                       .onListening = {}});
  });
  ASSERT_TRUE(eventually([this] { return listener_->listening(); }));
  database_.execute("SELECT pg_notify('wake', i::text) FROM generate_series(1, 3) i");
  ASSERT_TRUE(eventually([this] { return !listener_->listening(); }));
  EXPECT_THAT(events(), ElementsAre("1"));
}

TEST_F(DatabaseListener, SurvivesACallbackThatThrows) {
  callOn(clients_.loop(), [this] {
    listener_ = std::make_unique<Listener>(
        clients_.loop(), options(), "wake",
        Listener::Callbacks{
            .onNotification =
                [this](std::string_view payload) {
                  note(payload);
                  throw std::runtime_error("thrown by onNotification");
                },
            .onListening = [] { throw std::runtime_error("thrown by onListening"); }});
  });
  ASSERT_TRUE(eventually([this] { return listener_->listening(); }));
  database_.execute("NOTIFY wake, 'one'");
  database_.execute("NOTIFY wake, 'two'");
  ASSERT_TRUE(eventually([this] { return events().size() == 2; }));
  EXPECT_TRUE(listener_->listening());
}

}  // namespace
}  // namespace auth_errors::tests
