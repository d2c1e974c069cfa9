#include "tests/support/http_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <format>
#include <system_error>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace auth_errors::tests {
namespace {

constexpr std::size_t kReadSize = 16384;
constexpr std::size_t kMaxHead = std::size_t{256} * 1024;

bool equalsIgnoringCase(std::string_view left, std::string_view right) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

template <typename Number>
std::optional<Number> parseNumber(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string describe(std::string_view what, int error) {
  return std::format("{}: {}", what, std::generic_category().message(error));
}

TransportError transportError(std::string_view what, int error) {
  switch (error) {
    case ECONNREFUSED:
      return {.fault = TransportFault::refused, .message = describe(what, error), .sentAt = {}};
    case ETIMEDOUT:
    case EAGAIN:
      return {.fault = TransportFault::timeout,
              .message = std::format("{}: no answer by the deadline", what),
              .sentAt = {}};
    case EPIPE:
      return {.fault = TransportFault::closed, .message = describe(what, error), .sentAt = {}};
    default:
      return {.fault = TransportFault::reset, .message = describe(what, error), .sentAt = {}};
  }
}

TransportError closedEarly() {
  return {
      .fault = TransportFault::closed, .message = "closed without a whole response", .sentAt = {}};
}

TransportError malformed(std::string problem) {
  return {.fault = TransportFault::malformed, .message = std::move(problem), .sentAt = {}};
}

// Returns false at the deadline. `events` is POLLIN or POLLOUT; errors end the wait as well.
bool waitFor(int descriptor, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{.fd = descriptor, .events = events, .revents = 0};
    const int ready =
        ::poll(&entry, 1, static_cast<int>(std::clamp<long long>(left, 0, 3'600'000)));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

std::chrono::milliseconds leftUntil(Clock::time_point deadline) {
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
}

}  // namespace

std::string_view name(TransportFault fault) {
  switch (fault) {
    case TransportFault::refused:
      return "refused";
    case TransportFault::reset:
      return "reset";
    case TransportFault::closed:
      return "closed";
    case TransportFault::timeout:
      return "timeout";
    case TransportFault::malformed:
      return "malformed";
  }
  return "unknown";
}

std::string_view HttpResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equalsIgnoringCase(key, name)) {
      return value;
    }
  }
  return {};
}

HttpResponseParser::State HttpResponseParser::feed(std::string_view bytes) {
  buffer_ += bytes;
  while (step()) {
  }
  return state_;
}

HttpResponseParser::State HttpResponseParser::finish() {
  if (state_ == State::bodyUntilClosed) {
    state_ = State::done;
  } else if (state_ != State::done) {
    fail("the connection was closed in the middle of a response");
  }
  return state_;
}

bool HttpResponseParser::fail(std::string problem) {
  problem_ = std::move(problem);
  state_ = State::malformed;
  return false;
}

std::optional<std::string> HttpResponseParser::takeLine() {
  const std::size_t end = buffer_.find("\r\n");
  if (end == std::string::npos) {
    return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

// Returns true if it made progress and may make more.
bool HttpResponseParser::step() {
  switch (state_) {
    case State::head: {
      const std::size_t end = buffer_.find("\r\n\r\n");
      if (end == std::string::npos) {
        return buffer_.size() > kMaxHead ? fail("the head never ends") : false;
      }
      const std::string head = buffer_.substr(0, end + 2);
      buffer_.erase(0, end + 4);
      return parseHead(head);
    }
    case State::body: {
      const std::size_t portion = std::min(remaining_, buffer_.size());
      response_.body.append(buffer_, 0, portion);
      buffer_.erase(0, portion);
      remaining_ -= portion;
      if (remaining_ == 0) {
        state_ = State::done;
      }
      return false;
    }
    case State::bodyUntilClosed:
      response_.body += buffer_;
      buffer_.clear();
      return false;
    case State::chunkSize: {
      const auto line = takeLine();
      if (!line) {
        return false;
      }
      const std::string_view size = trim(std::string_view(*line).substr(0, line->find(';')));
      const auto number = parseNumber<std::size_t>(size, 16);
      if (!number) {
        return fail("bad chunk size: " + *line);
      }
      remaining_ = *number;
      state_ = remaining_ == 0 ? State::trailer : State::chunkData;
      return true;
    }
    case State::chunkData: {
      const std::size_t portion = std::min(remaining_, buffer_.size());
      response_.body.append(buffer_, 0, portion);
      buffer_.erase(0, portion);
      remaining_ -= portion;
      if (remaining_ > 0 || buffer_.size() < 2) {
        return false;
      }
      if (!buffer_.starts_with("\r\n")) {
        return fail("a chunk does not end where its size says");
      }
      buffer_.erase(0, 2);
      state_ = State::chunkSize;
      return true;
    }
    case State::trailer: {
      const auto line = takeLine();
      if (!line) {
        return false;
      }
      if (line->empty()) {
        state_ = State::done;
      }
      return true;
    }
    case State::done:
    case State::malformed:
      return false;
  }
  return false;
}

bool HttpResponseParser::parseHead(std::string_view head) {
  const std::size_t firstEnd = head.find("\r\n");
  const std::string_view statusLine = head.substr(0, firstEnd);
  if (!statusLine.starts_with("HTTP/1.") || statusLine.size() < 12) {
    return fail("not a status line: " + std::string(statusLine));
  }
  const auto status = parseNumber<int>(statusLine.substr(9, 3), 10);
  if (!status) {
    return fail("not a status line: " + std::string(statusLine));
  }
  response_ = {};
  response_.status = *status;
  keepsAlive_ = statusLine.starts_with("HTTP/1.1");

  std::string_view rest = head.substr(firstEnd + 2);
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return fail("not a header: " + std::string(line));
    }
    response_.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  }

  const bool informational = response_.status >= 100 && response_.status < 200;
  if (informational) {
    return true;
  }
  if (equalsIgnoringCase(response_.header("connection"), "close")) {
    keepsAlive_ = false;
  }
  if (answersHead_ || response_.status == 204 || response_.status == 304) {
    state_ = State::done;
    return false;
  }
  if (equalsIgnoringCase(response_.header("transfer-encoding"), "chunked")) {
    state_ = State::chunkSize;
    return true;
  }
  const std::string_view length = response_.header("content-length");
  if (length.empty()) {
    keepsAlive_ = false;
    state_ = State::bodyUntilClosed;
    return true;
  }
  const auto bytes = parseNumber<std::size_t>(length, 10);
  if (!bytes) {
    return fail("bad Content-Length: " + std::string(length));
  }
  remaining_ = *bytes;
  state_ = State::body;
  return true;
}

std::expected<RawConnection, TransportError> RawConnection::connect(
    std::uint16_t port, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) {
    return std::unexpected(transportError("socket", errno));
  }
  const int noDelay = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof noDelay);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINPROGRESS) {
      return std::unexpected(transportError("connect", errno));
    }
    if (!waitFor(socket.get(), POLLOUT, deadline)) {
      return std::unexpected(transportError("connect", ETIMEDOUT));
    }
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) {
      return std::unexpected(transportError("connect", error));
    }
  }
  return RawConnection(std::move(socket));
}

std::expected<void, TransportError> RawConnection::send(std::string_view bytes,
                                                        std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!waitFor(socket_.get(), POLLOUT, deadline)) {
        return std::unexpected(transportError("send", ETIMEDOUT));
      }
    } else if (errno != EINTR) {
      return std::unexpected(transportError("send", errno));
    }
  }
  return {};
}

std::expected<std::string, TransportError> RawConnection::receive(
    std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  std::array<char, kReadSize> buffer{};
  for (;;) {
    const ssize_t received = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (received >= 0) {
      return std::string(buffer.data(), static_cast<std::size_t>(received));
    }
    if (errno == EAGAIN) {
      if (!waitFor(socket_.get(), POLLIN, deadline)) {
        return std::unexpected(transportError("receive", ETIMEDOUT));
      }
    } else if (errno != EINTR) {
      return std::unexpected(transportError("receive", errno));
    }
  }
}

RawConnection::Received RawConnection::receiveUntilClosed(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  Received received;
  for (;;) {
    auto bytes = receive(leftUntil(deadline));
    if (!bytes) {
      received.end = bytes.error().fault == TransportFault::timeout ? End::timeout : End::reset;
      return received;
    }
    if (bytes->empty()) {
      received.end = End::closed;
      return received;
    }
    received.bytes += *bytes;
  }
}

std::expected<HttpResponse, TransportError> RawConnection::receiveResponse(
    std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  HttpResponseParser parser;
  while (parser.state() != HttpResponseParser::State::done) {
    auto bytes = receive(leftUntil(deadline));
    if (!bytes) {
      return std::unexpected(std::move(bytes.error()));
    }
    if (bytes->empty()) {
      if (parser.finish() == HttpResponseParser::State::done) {
        break;
      }
      return std::unexpected(closedEarly());
    }
    if (parser.feed(*bytes) == HttpResponseParser::State::malformed) {
      return std::unexpected(malformed(parser.problem()));
    }
  }
  return parser.take();
}

void RawConnection::shutdownWrite() { ::shutdown(socket_.get(), SHUT_WR); }

HttpClient::Result HttpClient::get(std::string_view path, std::chrono::milliseconds timeout) {
  return request("GET", path, {}, {}, timeout);
}

HttpClient::Result HttpClient::post(std::string_view path, std::string_view body,
                                    std::chrono::milliseconds timeout,
                                    std::string_view contentType) {
  return request("POST", path, {{"Content-Type", std::string(contentType)}}, body, timeout);
}

HttpClient::Result HttpClient::request(std::string_view method, std::string_view path,
                                       const Headers& headers, std::string_view body,
                                       std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  if (!connection_) {
    auto connection = RawConnection::connect(port_, timeout);
    if (!connection) {
      return std::unexpected(std::move(connection.error()));
    }
    connection_ = std::move(*connection);
  }

  std::string message =
      std::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", method, path, port_);
  for (const Headers* list : {&std::as_const(defaultHeaders_), &headers}) {
    for (const auto& [key, value] : *list) {
      message += std::format("{}: {}\r\n", key, value);
    }
  }
  if (!body.empty() || (method != "GET" && method != "HEAD")) {
    message += std::format("Content-Length: {}\r\n", body.size());
  }
  message += "\r\n";
  message += body;

  const auto sent = connection_->send(message, leftUntil(deadline));
  std::optional<Clock::time_point> sentAt;
  if (sent) {
    sentAt = Clock::now();
  }

  // Reads even after a failed send: a service that refuses a body answers before it has read all of
  // it.
  HttpResponseParser parser(method == "HEAD");
  const auto give = [&](TransportError error) -> Result {
    connection_.reset();
    error.sentAt = sentAt;
    return std::unexpected(std::move(error));
  };
  while (parser.state() != HttpResponseParser::State::done) {
    auto bytes = connection_->receive(leftUntil(deadline));
    if (!bytes) {
      return give(sent ? bytes.error() : sent.error());
    }
    if (bytes->empty()) {
      if (parser.finish() == HttpResponseParser::State::done) {
        break;
      }
      return give(closedEarly());
    }
    if (parser.feed(*bytes) == HttpResponseParser::State::malformed) {
      return give(malformed(parser.problem()));
    }
  }
  if (!parser.rest().empty()) {
    return give(malformed("bytes after the response"));
  }
  if (!sent || !parser.keepsAlive()) {
    connection_.reset();
  }
  return parser.take();
}

}  // namespace auth_errors::tests
