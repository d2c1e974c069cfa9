// A blocking HTTP/1.1 client on plain sockets, to loopback only, for tests. A client or connection
// belongs to one thread. Every call returns by its deadline and reports how it failed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/file_descriptor.h"

namespace auth_errors::tests {

using Clock = std::chrono::steady_clock;
using Headers = std::vector<std::pair<std::string, std::string>>;

enum class TransportFault : std::uint8_t { refused, reset, closed, timeout, malformed };
std::string_view name(TransportFault fault);

struct TransportError {
  TransportFault fault = TransportFault::closed;
  std::string message;
  // When the last byte of the request was handed to the kernel, if it was.
  std::optional<Clock::time_point> sentAt;
};

struct HttpResponse {
  int status = 0;
  Headers headers;
  std::string body;

  // The first header of that name, ignoring case, or an empty text.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

// Parses a response in arbitrary pieces, with Content-Length, chunked or until close.
class HttpResponseParser {
 public:
  enum class State : std::uint8_t {
    head,
    body,
    bodyUntilClosed,
    chunkSize,
    chunkData,
    trailer,
    done,
    malformed
  };

  explicit HttpResponseParser(bool answersHead = false) : answersHead_(answersHead) {}

  State feed(std::string_view bytes);
  // The peer closed: completes an until-close body, and is a fault in every other state.
  State finish();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Bytes after the response: an error for a client that sends one request at a time.
  [[nodiscard]] const std::string& rest() const { return buffer_; }
  [[nodiscard]] bool keepsAlive() const { return keepsAlive_; }
  [[nodiscard]] HttpResponse take() { return std::move(response_); }

 private:
  bool step();
  bool parseHead(std::string_view head);
  bool fail(std::string problem);
  std::optional<std::string> takeLine();

  State state_ = State::head;
  bool answersHead_;
  bool keepsAlive_ = true;
  std::size_t remaining_ = 0;
  std::string buffer_;
  std::string problem_;
  HttpResponse response_;
};

// Raw bytes to and from the service, for requests that no proper client would send.
class RawConnection {
 public:
  enum class End : std::uint8_t { closed, reset, timeout };
  struct Received {
    std::string bytes;
    End end = End::timeout;
  };

  static std::expected<RawConnection, TransportError> connect(std::uint16_t port,
                                                              std::chrono::milliseconds timeout);

  std::expected<void, TransportError> send(std::string_view bytes,
                                           std::chrono::milliseconds timeout);
  // The next bytes, however few; empty once the peer has closed.
  std::expected<std::string, TransportError> receive(std::chrono::milliseconds timeout);
  Received receiveUntilClosed(std::chrono::milliseconds timeout);
  // Exactly one response; the connection stays open if the service keeps it open.
  std::expected<HttpResponse, TransportError> receiveResponse(std::chrono::milliseconds timeout);
  void shutdownWrite();

 private:
  explicit RawConnection(FileDescriptor socket) : socket_(std::move(socket)) {}

  FileDescriptor socket_;
};

// Keeps one connection alive between calls and reconnects if necessary.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, Headers defaultHeaders = {})
      : port_(port), defaultHeaders_(std::move(defaultHeaders)) {}

  using Result = std::expected<HttpResponse, TransportError>;
  Result get(std::string_view path, std::chrono::milliseconds timeout);
  Result post(std::string_view path, std::string_view body, std::chrono::milliseconds timeout,
              std::string_view contentType = "application/json");
  Result request(std::string_view method, std::string_view path, const Headers& headers,
                 std::string_view body, std::chrono::milliseconds timeout);
  void close() { connection_.reset(); }

 private:
  std::uint16_t port_;
  Headers defaultHeaders_;
  std::optional<RawConnection> connection_;
};

}  // namespace auth_errors::tests
