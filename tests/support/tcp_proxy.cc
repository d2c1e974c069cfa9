#include "tests/support/tcp_proxy.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "tests/support/free_port.h"

namespace auth_errors::tests {
namespace {

constexpr std::size_t kReadSize = 65536;
constexpr std::size_t kMaxPending = std::size_t{1024} * 1024;
constexpr int kBacklog = 128;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

enum class Moved : std::uint8_t { some, nothing, ended, failed };

Moved receive(int socket, std::string& into) {
  std::array<char, kReadSize> buffer;  // NOLINT: filled by recv
  const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(count));
    return Moved::some;
  }
  if (count == 0) {
    return Moved::ended;
  }
  return errno == EAGAIN || errno == EINTR ? Moved::nothing : Moved::failed;
}

Moved transmit(int socket, std::string& pending) {
  const ssize_t count = ::send(socket, pending.data(), pending.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count >= 0) {
    pending.erase(0, static_cast<std::size_t>(count));
    return Moved::some;
  }
  return errno == EAGAIN || errno == EINTR ? Moved::nothing : Moved::failed;
}

// Closing with a zero linger sends RST instead of FIN.
void closeWithReset(FileDescriptor& socket) {
  if (socket.valid()) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    socket.reset();
  }
}

[[noreturn]] void throwErrno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

TcpProxy::TcpProxy(std::uint16_t upstreamPort)
    : upstreamPort_(upstreamPort),
      port_(freePort()),
      wakeUp_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  listen();
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
}

void TcpProxy::listen() {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int reuse = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  const sockaddr_in address = loopback(port_);
  if (!socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    throwErrno("the proxy cannot listen");
  }
  listener_ = std::move(socket);
}

void TcpProxy::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wakeUp_.get(), &one, sizeof one);
}

void TcpProxy::setMode(Mode mode) {
  std::unique_lock lock(mutex_);
  wanted_ = mode;
  wake();
  applied_.wait(lock, [&] { return current_ == mode; });
}

TcpProxy::Counters TcpProxy::counters() const {
  return {.accepted = accepted_,
          .resets = resets_,
          .silenced = silenced_,
          .swallowedBytes = droppedBytes_,
          .upstreamFailures = upstreamFailures_};
}

void TcpProxy::apply(Mode mode) {
  if (mode == Mode::refuse) {
    listener_.reset();
  } else if (!listener_.valid()) {
    listen();
  }
  if (mode == Mode::reset) {
    for (Link& link : links_) {
      resetBoth(link);
    }
  }
  if (mode == Mode::silence) {
    for (Link& link : links_) {
      if (!link.silent) {
        link.silent = true;
        ++silenced_;
      }
    }
  }
}

void TcpProxy::resetBoth(Link& link) {
  closeWithReset(link.client.socket);
  closeWithReset(link.upstream.socket);
  link.closed = true;
  ++resets_;
}

void TcpProxy::acceptAll() {
  for (;;) {
    FileDescriptor client(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.valid()) {
      return;
    }
    ++accepted_;
    const int noDelay = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof noDelay);
    Link link;
    link.client.socket = std::move(client);
    if (current_ == Mode::reset) {
      resetBoth(link);
      continue;
    }
    if (current_ == Mode::silence) {
      link.silent = true;
      ++silenced_;
      links_.push_back(std::move(link));
      continue;
    }
    FileDescriptor upstream(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ::setsockopt(upstream.get(), IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof noDelay);
    const sockaddr_in address = loopback(upstreamPort_);
    if (::connect(upstream.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
      if (errno != EINPROGRESS) {
        ++upstreamFailures_;
        closeWithReset(link.client.socket);
        continue;
      }
      link.connecting = true;
    }
    link.upstream.socket = std::move(upstream);
    links_.push_back(std::move(link));
  }
}

// A silenced connection looks alive to the service until the service closes it.
void TcpProxy::serveSilent(Link& link, short clientEvents, short upstreamEvents) {
  std::string swallowed;
  if (upstreamEvents != 0) {
    const Moved moved = receive(link.upstream.socket.get(), swallowed);
    if (moved == Moved::ended || moved == Moved::failed) {
      link.upstream.socket.reset();
    }
  }
  if (clientEvents != 0) {
    const Moved moved = receive(link.client.socket.get(), swallowed);
    if (moved == Moved::ended || moved == Moved::failed) {
      link.closed = true;
    }
  }
  droppedBytes_ += swallowed.size();
}

void TcpProxy::serve(Link& link, short clientEvents, short upstreamEvents) {
  if (link.connecting && upstreamEvents != 0) {
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(link.upstream.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) {
      ++upstreamFailures_;
      closeWithReset(link.client.socket);
      link.closed = true;
      return;
    }
    link.connecting = false;
  }
  const auto move = [&link](Side& from, Side& to, short events) {
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && !from.ended) {
      const Moved moved = receive(from.socket.get(), to.pending);
      if (moved == Moved::failed) {
        closeWithReset(to.socket);
        link.closed = true;
        return;
      }
      from.ended = moved == Moved::ended;
    }
    if (!link.connecting && !to.pending.empty() &&
        transmit(to.socket.get(), to.pending) == Moved::failed) {
      closeWithReset(from.socket);
      link.closed = true;
      return;
    }
    if (!link.connecting && from.ended && to.pending.empty() && !to.shut) {
      ::shutdown(to.socket.get(), SHUT_WR);
      to.shut = true;
    }
  };
  move(link.client, link.upstream, clientEvents);
  if (!link.closed) {
    move(link.upstream, link.client, upstreamEvents);
  }
  if (link.client.shut && link.upstream.shut) {
    link.closed = true;
  }
}

void TcpProxy::run() {
  std::vector<pollfd> entries;
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      if (stopping_) {
        return;
      }
      if (wanted_ != current_) {
        // Connections in the backlog belong to the mode in which they were made.
        if (listener_.valid()) {
          acceptAll();
        }
        apply(wanted_);
        current_ = wanted_;
        applied_.notify_all();
      }
    }
    std::erase_if(links_, [](const Link& link) { return link.closed; });
    open_ = links_.size();

    entries.clear();
    entries.push_back({.fd = wakeUp_.get(), .events = POLLIN, .revents = 0});
    entries.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
    for (const Link& link : links_) {
      const auto events = [&link](const Side& side, const Side& other) {
        int wanted = 0;
        if (!side.ended && (link.silent || other.pending.size() < kMaxPending)) {
          wanted |= POLLIN;
        }
        if (!link.silent && !side.pending.empty()) {
          wanted |= POLLOUT;
        }
        return static_cast<short>(wanted);
      };
      // poll ignores a negative descriptor. A closed side would report POLLHUP for ever.
      const auto descriptor = [](const Side& side, short wanted) {
        return side.ended && wanted == 0 ? -1 : side.socket.get();
      };
      const short client = events(link.client, link.upstream);
      short upstream = events(link.upstream, link.client);
      if (link.connecting && !link.silent) {
        upstream = POLLOUT;
      }
      entries.push_back({.fd = descriptor(link.client, client), .events = client, .revents = 0});
      entries.push_back(
          {.fd = descriptor(link.upstream, upstream), .events = upstream, .revents = 0});
    }

    if (::poll(entries.data(), entries.size(), -1) < 0) {
      continue;
    }
    if (entries[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = ::read(wakeUp_.get(), &count, sizeof count);
      // Apply a mode switch before any byte that arrived with it.
      continue;
    }
    for (std::size_t index = 0; index < links_.size(); ++index) {
      Link& link = links_[index];
      const short client = entries[2 + 2 * index].revents;
      const short upstream = entries[3 + 2 * index].revents;
      if (client == 0 && upstream == 0) {
        continue;
      }
      if (link.silent) {
        serveSilent(link, client, upstream);
      } else {
        serve(link, client, upstream);
      }
    }
    if (entries[1].revents != 0) {
      acceptAll();
    }
  }
}

}  // namespace auth_errors::tests
