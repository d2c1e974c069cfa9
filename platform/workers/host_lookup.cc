#include "platform/workers/host_lookup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>
#include <trantor/net/EventLoop.h>

namespace auth_errors::workers {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;
using Found = HostLookup::Found;

// The settings have few names; this many lookups at once must be hanging.
constexpr std::size_t kMaxLookups = 32;
// Per name, so that a hanging name leaves room for others.
constexpr std::ptrdiff_t kMaxLookupsOfName = 3;
// An older lookup may hang forever, so a new caller starts another one, within the limits.
constexpr auto kJoinableFor = 10s;

Found resolve(const std::string& host, int flags) {
  struct FreeAddresses {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
  };
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const int status = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (status != 0) {
    return {.addresses = {},
            .problem = status == EAI_SYSTEM ? std::generic_category().message(errno)
                                            : std::string(::gai_strerror(status))};
  }
  const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
  Found found;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) != 0) {
      continue;
    }
    if (std::string address(text.data()); !std::ranges::contains(found.addresses, address)) {
      found.addresses.push_back(std::move(address));
    }
  }
  if (found.addresses.empty()) {
    found.problem = "no address found";
  }
  return found;
}

// A thread started meanwhile blocks all signals: only the main thread handles SIGTERM.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  SignalsBlocked(SignalsBlocked&&) = delete;
  SignalsBlocked& operator=(SignalsBlocked&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

// A caller waiting for one name. It is called back through its loop, which exists as long as the
// waiter is registered.
struct HostWaiter {
  trantor::EventLoop& loop;
  std::function<void(Found)> onFound;
};

// The lookups in progress of the whole process. Usable from any thread.
class HostLookups : public std::enable_shared_from_this<HostLookups> {
 public:
  // Its threads share ownership, so that they may outlive main().
  static HostLookups& ofProcess() {
    static const auto lookups = std::make_shared<HostLookups>();
    return *lookups;
  }

  void ask(const std::string& host, const std::shared_ptr<HostWaiter>& waiter) {
    const std::scoped_lock lock(mutex_);
    const auto now = SteadyClock::now();
    Lookup* newest = nullptr;  // they are sorted by start time
    std::ptrdiff_t ofName = 0;
    for (Lookup& lookup : lookups_) {
      if (lookup.host == host) {
        newest = &lookup;
        ++ofName;
      }
    }
    if (newest != nullptr && (ofName >= kMaxLookupsOfName || now - newest->began < kJoinableFor)) {
      newest->waiters.push_back(waiter);
      return;
    }
    if (lookups_.size() == kMaxLookups) {
      answer(waiter, {.addresses = {}, .problem = "too many lookups are in progress"});
      return;
    }
    lookups_.push_back({.host = host, .began = now, .waiters = {waiter}});
    const auto lookup = std::prev(lookups_.end());
    try {
      const SignalsBlocked blocked;
      std::thread([self = shared_from_this(), lookup] {
        ::pthread_setname_np(::pthread_self(), "host-lookup");
        self->finish(lookup, resolve(lookup->host, 0));
      }).detach();
    } catch (const std::system_error& failure) {
      lookups_.erase(lookup);
      answer(waiter, {.addresses = {}, .problem = failure.what()});
    }
  }

  void forget(const std::shared_ptr<HostWaiter>& waiter) {
    const std::scoped_lock lock(mutex_);
    for (Lookup& lookup : lookups_) {
      std::erase(lookup.waiters, waiter);
    }
  }

 private:
  struct Lookup {
    std::string host;
    SteadyClock::time_point began;
    std::vector<std::shared_ptr<HostWaiter>> waiters;
  };

  static void answer(const std::shared_ptr<HostWaiter>& waiter, const Found& found) {
    waiter->loop.queueInLoop([waiter, found] { waiter->onFound(found); });
  }

  void finish(std::list<Lookup>::iterator lookup, const Found& found) {
    const std::scoped_lock lock(mutex_);
    for (const auto& waiter : lookup->waiters) {
      answer(waiter, found);
    }
    lookups_.erase(lookup);
  }

  std::mutex mutex_;
  std::list<Lookup> lookups_;
};

struct HostLookup::State {
  explicit State(Callback callback) : onFound(std::move(callback)) {}

  void take(std::size_t host, Found found) {
    answers.at(host) = std::move(found);
    callBackIfDone();
  }

  void callBackIfDone() {
    const bool all =
        std::ranges::all_of(answers, [](const auto& found) { return found.has_value(); });
    const bool some = std::ranges::any_of(
        answers, [](const auto& found) { return found && !found->addresses.empty(); });
    if (!onFound || (!all && !(impatient && some))) {
      return;
    }
    std::vector<Found> found;
    for (auto& known : answers) {
      found.push_back(std::move(known).value_or(Found{.addresses = {}, .problem = "no answer"}));
    }
    std::exchange(onFound, nullptr)(std::move(found));
  }

  Callback onFound;
  std::vector<std::optional<Found>> answers;
  std::vector<std::shared_ptr<HostWaiter>> waiters;
  bool impatient = false;
};

HostLookup::HostLookup(trantor::EventLoop& loop, const std::vector<std::string>& hosts,
                       std::chrono::milliseconds patience, Callback onFound)
    : state_(std::make_shared<State>(std::move(onFound))) {
  const std::weak_ptr<State> weak = state_;
  state_->answers.resize(hosts.size());
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    // A numeric address is parsed immediately, without DNS.
    if (auto address = resolve(hosts[host], AI_NUMERICHOST); !address.addresses.empty()) {
      state_->answers[host] = std::move(address);
      continue;
    }
    const auto waiter = std::make_shared<HostWaiter>(loop, [weak, host](Found found) {
      if (const auto state = weak.lock()) {
        state->take(host, std::move(found));
      }
    });
    state_->waiters.push_back(waiter);
    HostLookups::ofProcess().ask(hosts[host], waiter);
  }
  if (state_->waiters.empty()) {
    loop.queueInLoop([weak] {
      if (const auto state = weak.lock()) {
        state->callBackIfDone();
      }
    });
  } else if (hosts.size() > 1) {
    loop.runAfter(std::chrono::duration<double>(patience).count(), [weak] {
      if (const auto state = weak.lock()) {
        state->impatient = true;
        state->callBackIfDone();
      }
    });
  }
}

HostLookup::~HostLookup() {
  for (const auto& waiter : state_->waiters) {
    HostLookups::ofProcess().forget(waiter);
  }
  state_->onFound = nullptr;
}

}  // namespace auth_errors::workers
