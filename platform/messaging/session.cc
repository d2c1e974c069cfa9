#include "platform/messaging/session.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <format>
#include <system_error>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <trantor/net/TLSPolicy.h>
#include <unistd.h>

#include "platform/telemetry/log.h"

namespace auth_errors::messaging {
namespace {

std::atomic<std::uint64_t> sessionCount{0};

// Capacity of the outgoing buffer kept between two turns of the loop.
constexpr std::size_t kKeptBuffer = std::size_t{1024} * 1024;

std::string_view describe(trantor::SSLError error) {
  switch (error) {
    case trantor::SSLError::kSSLInvalidCertificate:
      return "the broker's certificate is not signed by a trusted CA";
    case trantor::SSLError::kSSLHandshakeError:
      return "the TLS handshake with the broker failed";
    case trantor::SSLError::kSSLProtocolError:
      return "the broker violated the TLS protocol";
  }
  return "TLS failed";
}

// trantor 1.5.28, as a client, verifies the issuer of a certificate but not its name.
bool isMadeOutFor(const trantor::Certificate& certificate, const BrokerHost& host) {
  const std::string pem = certificate.pem();
  const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> parsed(
      PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr), X509_free);
  if (!parsed) {
    return false;
  }
  if (host.isAddress()) {
    return X509_check_ip_asc(parsed.get(), host.name.c_str(), 0) == 1;
  }
  return X509_check_host(parsed.get(), host.name.data(), host.name.size(), 0, nullptr) == 1;
}

// trantor leaks memory for each certificate file that it cannot read.
bool holdsCertificates(const std::string& file) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      X509_STORE_free);
  return store && X509_STORE_load_file(store.get(), file.c_str()) == 1;
}

// trantor does not report a connect(2) that fails immediately, as it may on the loopback.
bool failedAtOnce(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state == TCP_CLOSE;
}

// trantor does not report why a connect failed, so the connect is repeated here, without waiting:
// if there is no immediate answer, the reason stays unknown.
std::string unreachableReason(const trantor::InetAddress& address) {
  const auto* raw = address.getSockAddr();
  const int socket = ::socket(raw->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const socklen_t size = address.isIpV6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  int error = 0;
  if (socket < 0 || ::connect(socket, raw, size) != 0) {
    error = errno;
  }
  if (error == EINPROGRESS) {
    // The loopback has answered by now.
    socklen_t length = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  }
  if (socket >= 0) {
    ::close(socket);
  }
  return std::format("the broker is unreachable: {}",
                     error != 0 ? std::generic_category().message(error)
                                : "it refuses connections, or its host is down");
}

}  // namespace

Session::Session(trantor::EventLoop& loop, std::shared_ptr<const BrokerOptions> options,
                 BrokerUrl url, BrokerHost host, std::weak_ptr<SessionOwner> owner)
    : loop_(loop),
      options_(std::move(options)),
      url_(std::move(url)),
      host_(std::move(host)),
      owner_(std::move(owner)),
      number_(++sessionCount) {}

void Session::open(const trantor::InetAddress& address) {
  connectTimer_ = loop_.runAfter(
      std::chrono::duration<double>(options_->connectTimeout).count(), [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->connectTimer_.reset();
          self->drop(
              std::format("not connected within {} ms", self->options_->connectTimeout.count()));
        }
      });
  guarded([this, &address] { connectTo(address); });
}

void Session::connectTo(const trantor::InetAddress& address) {
  client_ = std::make_shared<trantor::TcpClient>(&loop_, address, options_->connectionName);
  if (url_.tls) {
    auto policy = trantor::TLSPolicy::defaultClientPolicy(host_.isAddress() ? "" : host_.name);
    if (!options_->certificate.empty()) {
      if (!holdsCertificates(options_->certificate.string())) {
        drop("cannot read certificates from the file of CA certificates for the broker");
        return;
      }
      policy->setUseSystemCertStore(false).setCaPath(options_->certificate.string());
    }
    client_->enableSSL(std::move(policy));
  }
  const auto weak = weak_from_this();
  client_->setConnectionCallback([weak](const trantor::TcpConnectionPtr& tcp) {
    if (const auto self = weak.lock()) {
      self->guarded([&] { self->onTcp(tcp); });
    }
  });
  client_->setMessageCallback(
      [weak](const trantor::TcpConnectionPtr& /*tcp*/, trantor::MsgBuffer* buffer) {
        if (const auto self = weak.lock()) {
          self->receive(*buffer);
        } else {
          buffer->retrieveAll();
        }
      });
  client_->setConnectionErrorCallback([weak, address] {
    if (const auto self = weak.lock()) {
      self->drop(unreachableReason(address));
    }
  });
  client_->setSSLErrorCallback([weak](trantor::SSLError error) {
    if (const auto self = weak.lock()) {
      self->drop(std::string(describe(error)));
    }
  });
  int socket = -1;
  client_->setSockOptCallback([&socket](int descriptor) { socket = descriptor; });
  client_->connect();
  client_->setSockOptCallback(nullptr);
  if (socket >= 0 && failedAtOnce(socket)) {
    drop(unreachableReason(address));
  }
}

void Session::onTcp(const trantor::TcpConnectionPtr& tcp) {
  if (!tcp->connected()) {
    drop("the broker closed the connection");
    return;
  }
  if (url_.tls) {
    const auto certificate = tcp->peerCertificate();
    if (!certificate || !isMadeOutFor(*certificate, host_)) {
      drop("the broker's certificate does not match its host name");
      return;
    }
  }
  tcp_ = tcp;
  tcp_->setTcpNoDelay(true);
  heardAt_ = Clock::now();
  connection_ =
      std::make_unique<AMQP::Connection>(this, AMQP::Login(url_.user, url_.password), url_.vhost);
}

void Session::receive(trantor::MsgBuffer& buffer) {
  heardAt_ = Clock::now();
  // Callbacks may release the last owner.
  const auto self = shared_from_this();
  guarded([this, &buffer] { parse(buffer); });
  if (ended_) {
    buffer.retrieveAll();
  }
}

void Session::parse(trantor::MsgBuffer& buffer) {
  while (!ended_ && connection_) {
    const std::string_view bytes(buffer.peek(), buffer.readableBytes());
    const auto next = guard_.next(bytes, connection_->maxFrame());
    if (next.verdict == FrameGuard::Verdict::incomplete) {
      return;
    }
    if (next.verdict == FrameGuard::Verdict::refuse) {
      drop(next.problem);
      return;
    }
    connection_->parse(next.frame.data(), next.frame.size());
    buffer.retrieve(next.size);
  }
}

void Session::onProperties(AMQP::Connection* /*connection*/, const AMQP::Table& /*server*/,
                           AMQP::Table& client) {
  // AMQP-CPP adds the capabilities, so the broker reports blocking, cancelled consumers and failed
  // logins.
  client["product"] = "auth-errors";
  client["connection_name"] = options_->connectionName;
}

std::uint16_t Session::onNegotiate(AMQP::Connection* /*connection*/, std::uint16_t interval) {
  heartbeat_ = std::max(std::chrono::ceil<std::chrono::seconds>(options_->heartbeat),
                        std::chrono::seconds(1));
  if (interval != 0) {
    heartbeat_ = std::min(heartbeat_, std::chrono::seconds(interval));
  }
  return static_cast<std::uint16_t>(heartbeat_.count());
}

void Session::onData(AMQP::Connection* /*connection*/, const char* bytes, std::size_t size) {
  if (ended_) {
    return;
  }
  // AMQP-CPP sends frame by frame; a single write per turn of the loop takes a tenth of the CPU
  // time.
  outgoing_.append(bytes, size);
  if (std::exchange(flushPlanned_, true)) {
    return;
  }
  loop_.queueInLoop([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->flush();
    }
  });
}

void Session::flush() {
  flushPlanned_ = false;
  if (tcp_ && !outgoing_.empty()) {
    tcp_->send(outgoing_.data(), outgoing_.size());
  }
  outgoing_.clear();
  if (outgoing_.capacity() > kKeptBuffer) {
    outgoing_.shrink_to_fit();
  }
}

void Session::onReady(AMQP::Connection* /*connection*/) {
  guarded([this] {
    startHeartbeats();
    if (const auto owner = owner_.lock()) {
      owner->onOpen(*this);
    }
  });
}

void Session::onError(AMQP::Connection* /*connection*/, const char* message) { drop(message); }

void Session::onClosed(AMQP::Connection* /*connection*/) {
  drop("the broker closed the connection");
}

void Session::onBlocked(AMQP::Connection* /*connection*/, const char* reason) {
  guarded([this, reason] {
    if (const auto owner = owner_.lock()) {
      owner->onBlocked(reason);
    }
  });
}

void Session::onUnblocked(AMQP::Connection* /*connection*/) {
  guarded([this] {
    if (const auto owner = owner_.lock()) {
      owner->onUnblocked();
    }
  });
}

void Session::startHeartbeats() {
  heartbeatTimer_ = loop_.runEvery(std::chrono::duration<double>(heartbeat_).count() / 2,
                                   [weak = weak_from_this()] {
                                     if (const auto self = weak.lock()) {
                                       self->guarded([&self] { self->beat(); });
                                     }
                                   });
}

void Session::beat() {
  if (Clock::now() - heardAt_ > 2 * heartbeat_) {
    drop(std::format("nothing heard from the broker for {} s", 2 * heartbeat_.count()));
    return;
  }
  connection_->heartbeat();
}

std::unique_ptr<AMQP::Channel> Session::makeChannel() {
  return std::make_unique<AMQP::Channel>(connection_.get());
}

void Session::setEstablished() {
  if (const auto timer = std::exchange(connectTimer_, std::nullopt)) {
    loop_.invalidateTimer(*timer);
  }
}

void Session::close() {
  guarded([this] {
    if (connection_) {
      connection_->close();
      flush();
    }
    if (tcp_) {
      tcp_->shutdown();
    }
  });
  drop("closed by us");
}

void Session::closeInOrder() {
  guarded([this] {
    if (connection_) {
      connection_->close();
      flush();
    }
  });
}

void Session::drop(std::string reason) {
  if (std::exchange(ended_, true)) {
    return;
  }
  reason_ = std::move(reason);
  loop_.queueInLoop([self = shared_from_this()] { self->tearDown(); });
}

void Session::tearDown() {
  setEstablished();
  if (const auto timer = std::exchange(heartbeatTimer_, std::nullopt)) {
    loop_.invalidateTimer(*timer);
  }
  try {
    if (connection_) {
      connection_->fail(reason_.c_str());
    }
    if (const auto owner = owner_.lock()) {
      owner->onLost(reason_);
    }
  } catch (const std::exception& failure) {
    telemetry::log(telemetry::LogLevel::error, "messaging.callback_threw",
                   {{"reason", failure.what()}});
  }
  connection_.reset();
  tcp_.reset();
  client_.reset();
}

}  // namespace auth_errors::messaging
