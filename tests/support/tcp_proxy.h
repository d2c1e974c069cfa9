// A TCP proxy between a service and its server, which a test can make misbehave. A dedicated thread
// moves the bytes; any thread may switch the mode, which is in effect when the call returns.
// Counters never decrease, so that a test can prove that its fault hit a live connection.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/file_descriptor.h"

namespace auth_errors::tests {

class TcpProxy {
 public:
  enum class Mode : std::uint8_t {
    pass,
    reset,    // every connection, existing or new, ends with RST on both sides
    silence,  // connections stay open, and all their bytes are dropped
    refuse,   // the port is closed; existing connections continue
  };

  struct Counters {
    std::uint64_t accepted = 0;
    std::uint64_t resets = 0;    // connections ended by mode reset
    std::uint64_t silenced = 0;  // connections silenced by mode silence
    std::uint64_t swallowedBytes = 0;
    std::uint64_t upstreamFailures = 0;  // failed connections to the server
  };

  explicit TcpProxy(std::uint16_t upstreamPort);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;
  TcpProxy(TcpProxy&&) = delete;
  TcpProxy& operator=(TcpProxy&&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // A silenced connection stays silent even after the mode returns to pass: its bytes are lost, and
  // the service has to close it.
  void setMode(Mode mode);
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] std::size_t openConnections() const { return open_; }

 private:
  struct Side {
    FileDescriptor socket;
    std::string pending;  // read from the other side, to be written to this side
    bool ended = false;   // this side has closed its direction
    bool shut = false;    // the other direction was shut down
  };
  struct Link {
    Side client;
    Side upstream;
    bool connecting = false;
    bool silent = false;
    bool closed = false;
  };

  void run();
  void apply(Mode mode);
  void acceptAll();
  void wake() const;
  void serve(Link& link, short clientEvents, short upstreamEvents);
  void serveSilent(Link& link, short clientEvents, short upstreamEvents);
  void resetBoth(Link& link);
  void listen();

  std::uint16_t upstreamPort_;
  std::uint16_t port_;
  FileDescriptor listener_;
  FileDescriptor wakeUp_;
  std::vector<Link> links_;

  mutable std::mutex mutex_;
  std::condition_variable applied_;
  Mode wanted_ = Mode::pass;
  Mode current_ = Mode::pass;
  bool stopping_ = false;

  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> resets_{0};
  std::atomic<std::uint64_t> silenced_{0};
  std::atomic<std::uint64_t> droppedBytes_{0};
  std::atomic<std::uint64_t> upstreamFailures_{0};
  std::atomic<std::size_t> open_{0};
  std::thread thread_;
};

}  // namespace auth_errors::tests
