#include "tests/support/free_port.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/support/file_descriptor.h"

namespace auth_errors::tests {
namespace {

constexpr std::uint16_t kFirstPort = 20000;
constexpr std::uint16_t kLastPort = 32000;

// An abstract socket name lives exactly as long as its owner and is visible exactly in the network
// namespace, within which ports are shared. Neither is true of lock files under /tmp.
FileDescriptor reserve(std::uint16_t port) {
  const std::string name = "auth-errors-test-port-" + std::to_string(port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, std::begin(address.sun_path) + 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    return {};
  }
  return socket;
}

bool canBind(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket.valid() &&
         ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::uint16_t freePort() {
  static std::mutex mutex;
  static std::vector<FileDescriptor> reservations;
  const std::scoped_lock lock(mutex);
  constexpr std::uint32_t kCount = kLastPort - kFirstPort + 1;
  const std::uint32_t start = std::random_device{}() % kCount;
  for (std::uint32_t step = 0; step < kCount; ++step) {
    const auto port = static_cast<std::uint16_t>(kFirstPort + (start + step) % kCount);
    FileDescriptor reservation = reserve(port);
    if (reservation.valid() && canBind(port)) {
      reservations.push_back(std::move(reservation));
      return port;
    }
  }
  throw std::runtime_error("no free port between 20000 and 32000");
}

}  // namespace auth_errors::tests
