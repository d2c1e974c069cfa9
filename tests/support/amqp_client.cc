#include "tests/support/amqp_client.h"

#include <cerrno>
#include <format>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace auth_errors::tests {
namespace {

constexpr char kFrameEnd = '\xCE';
constexpr std::uint16_t kChannel = 1;

constexpr std::uint32_t methodOf(std::uint32_t group, std::uint32_t number) {
  return group << 16U | number;
}
constexpr auto kStart = methodOf(10, 10);
constexpr auto kStartOk = methodOf(10, 11);
constexpr auto kTune = methodOf(10, 30);
constexpr auto kTuneOk = methodOf(10, 31);
constexpr auto kOpen = methodOf(10, 40);
constexpr auto kOpenOk = methodOf(10, 41);
constexpr auto kChannelOpen = methodOf(20, 10);
constexpr auto kChannelOpenOk = methodOf(20, 11);
constexpr auto kExchangeDelete = methodOf(40, 20);
constexpr auto kExchangeDeleteOk = methodOf(40, 21);
constexpr auto kQueueDeclare = methodOf(50, 10);
constexpr auto kQueueDeclareOk = methodOf(50, 11);
constexpr auto kQueueBind = methodOf(50, 20);
constexpr auto kQueueBindOk = methodOf(50, 21);
constexpr auto kQueuePurge = methodOf(50, 30);
constexpr auto kQueuePurgeOk = methodOf(50, 31);
constexpr auto kQueueDelete = methodOf(50, 40);
constexpr auto kQueueDeleteOk = methodOf(50, 41);
constexpr auto kQueueUnbind = methodOf(50, 50);
constexpr auto kQueueUnbindOk = methodOf(50, 51);
constexpr auto kPublish = methodOf(60, 40);
constexpr auto kGet = methodOf(60, 70);
constexpr auto kGetOk = methodOf(60, 71);
constexpr auto kGetEmpty = methodOf(60, 72);
constexpr auto kAck = methodOf(60, 80);
constexpr auto kConfirmSelect = methodOf(85, 10);
constexpr auto kConfirmSelectOk = methodOf(85, 11);

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : take(size)) {
      value = value << 8U | static_cast<unsigned char>(byte);
    }
    return value;
  }
  std::string shortText() { return std::string(take(number(1))); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t count) {
    if (rest_.size() < count) {
      throw std::runtime_error("truncated AMQP frame");
    }
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

std::string amqpFrame(std::uint8_t type, std::uint16_t channel, std::string_view payload) {
  return AmqpBytes().number(type).number(channel).longText(payload).raw({&kFrameEnd, 1}).text();
}

std::uint32_t AmqpClient::Frame::method() const {
  return type == kAmqpMethod ? static_cast<std::uint32_t>(Reader(payload).number(4)) : 0;
}

AmqpClient::AmqpClient(const std::string& url) {
  const auto at = url.rfind('@');
  const auto credentials = url.substr(url.find("//") + 2, at - url.find("//") - 2);
  const auto colon = credentials.find(':');
  const auto port = std::stoi(url.substr(url.rfind(':') + 1));

  socket_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("connect to the broker");
  }
  using std::string_view_literals::operator""sv;
  constexpr auto kGreeting = "AMQP\0\0\x09\x01"sv;
  ::send(socket_.get(), kGreeting.data(), kGreeting.size(), MSG_NOSIGNAL);
  expect(kStart);
  call(0, kStartOk,
       AmqpBytes()
           .longText("")
           .shortText("PLAIN")
           .longText('\0' + credentials.substr(0, colon) + '\0' + credentials.substr(colon + 1))
           .shortText("en_US"));
  const auto proposal = expect(kTune);
  Reader tune(proposal);
  const auto channels = static_cast<std::uint16_t>(tune.number(2));
  const auto frame = static_cast<std::uint32_t>(tune.number(4));
  call(0, kTuneOk, AmqpBytes().number(channels).number(frame).number(std::uint16_t{0}));
  call(0, kOpen, AmqpBytes().shortText("/").shortText("").number(std::uint8_t{0}));
  expect(kOpenOk);
  call(kChannel, kChannelOpen, AmqpBytes().shortText(""));
  expect(kChannelOpenOk);
  call(kChannel, kConfirmSelect, AmqpBytes().number(std::uint8_t{0}));
  expect(kConfirmSelectOk);
}

void AmqpClient::declareQueue(const messaging::QueueName& name, std::string_view arguments) {
  constexpr std::uint8_t kDurable = 2;
  call(kChannel, kQueueDeclare,
       AmqpBytes()
           .number(std::uint16_t{0})
           .shortText(name.text())
           .number(kDurable)
           .longText(arguments));
  expect(kQueueDeclareOk);
}

void AmqpClient::deleteQueue(const messaging::QueueName& name) {
  call(kChannel, kQueueDelete,
       AmqpBytes().number(std::uint16_t{0}).shortText(name.text()).number(std::uint8_t{0}));
  expect(kQueueDeleteOk);
}

void AmqpClient::deleteExchange(const messaging::ExchangeName& name) {
  call(kChannel, kExchangeDelete,
       AmqpBytes().number(std::uint16_t{0}).shortText(name.text()).number(std::uint8_t{0}));
  expect(kExchangeDeleteOk);
}

void AmqpClient::bindQueue(const messaging::QueueName& queue,
                           const messaging::ExchangeName& exchange, std::string_view key) {
  call(kChannel, kQueueBind,
       AmqpBytes()
           .number(std::uint16_t{0})
           .shortText(queue.text())
           .shortText(exchange.text())
           .shortText(key)
           .number(std::uint8_t{0})
           .longText(""));
  expect(kQueueBindOk);
}

void AmqpClient::purgeQueue(const messaging::QueueName& name) {
  call(kChannel, kQueuePurge,
       AmqpBytes().number(std::uint16_t{0}).shortText(name.text()).number(std::uint8_t{0}));
  expect(kQueuePurgeOk);
}

void AmqpClient::unbindQueue(const messaging::QueueName& queue,
                             const messaging::ExchangeName& exchange, std::string_view key) {
  call(kChannel, kQueueUnbind,
       AmqpBytes()
           .number(std::uint16_t{0})
           .shortText(queue.text())
           .shortText(exchange.text())
           .shortText(key)
           .longText(""));
  expect(kQueueUnbindOk);
}

std::uint32_t AmqpClient::countMessages(const messaging::QueueName& queue) {
  constexpr std::uint8_t kPassive = 1;
  call(kChannel, kQueueDeclare,
       AmqpBytes().number(std::uint16_t{0}).shortText(queue.text()).number(kPassive).longText(""));
  const auto answer = expect(kQueueDeclareOk);
  Reader reader(answer);
  reader.shortText();
  return static_cast<std::uint32_t>(reader.number(4));
}

void AmqpClient::publish(const messaging::ExchangeName& exchange, std::string_view key,
                         std::string_view headers, std::string_view body) {
  call(kChannel, kPublish,
       AmqpBytes()
           .number(std::uint16_t{0})
           .shortText(exchange.text())
           .shortText(key)
           .number(std::uint8_t{0}));
  constexpr std::uint16_t kHasHeaders = 1U << 13U;
  send(kAmqpHeader, kChannel,
       AmqpBytes()
           .number(std::uint16_t{60})
           .number(std::uint16_t{0})
           .number(std::uint64_t{body.size()})
           .number(kHasHeaders)
           .longText(headers)
           .text());
  if (!body.empty()) {
    send(kAmqpBody, kChannel, body);
  }
  expect(kAck);
}

std::optional<AmqpClient::Got> AmqpClient::get(const messaging::QueueName& queue) {
  call(kChannel, kGet,
       AmqpBytes().number(std::uint16_t{0}).shortText(queue.text()).number(std::uint8_t{0}));
  const Frame answer = receive();
  if (answer.method() == kGetEmpty) {
    return std::nullopt;
  }
  if (answer.method() != kGetOk) {
    throw std::runtime_error("unexpected answer to basic.get");
  }
  Reader reader(std::string_view(answer.payload).substr(4));
  const auto tag = reader.number(8);
  Got got;
  got.redelivered = reader.number(1) != 0;
  got.exchange = messaging::ExchangeName(std::string(reader.shortText()));
  got.routingKey = reader.shortText();
  const Frame header = receive();
  Reader content(header.payload);
  content.number(4);
  const auto size = content.number(8);
  got.properties = content.rest();
  while (got.body.size() < size) {
    got.body += receive().payload;
  }
  call(kChannel, kAck, AmqpBytes().number(tag).number(std::uint8_t{0}));
  return got;
}

void AmqpClient::call(std::uint16_t channel, std::uint32_t method, const AmqpBytes& arguments) {
  send(kAmqpMethod, channel, AmqpBytes().number(method).raw(arguments.text()).text());
}

void AmqpClient::send(std::uint8_t type, std::uint16_t channel, std::string_view payload) {
  const auto frame = amqpFrame(type, channel, payload);
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const auto count =
        ::send(socket_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (count < 0) {
      fail("send to the broker");
    }
    sent += static_cast<std::size_t>(count);
  }
}

std::string AmqpClient::readExactly(std::size_t count) {
  while (received_.size() < count) {
    std::string chunk(std::size_t{64} * 1024, '\0');
    const auto size = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (size <= 0) {
      fail("receive from the broker");
    }
    received_.append(chunk, 0, static_cast<std::size_t>(size));
  }
  auto taken = received_.substr(0, count);
  received_.erase(0, count);
  return taken;
}

AmqpClient::Frame AmqpClient::receive() {
  while (true) {
    const auto head = readExactly(7);
    Reader reader(head);
    Frame frame{.type = static_cast<std::uint8_t>(reader.number(1)), .payload = {}};
    reader.number(2);
    frame.payload = readExactly(reader.number(4));
    readExactly(1);
    if (frame.type != kAmqpHeartbeat) {
      return frame;
    }
  }
}

std::string AmqpClient::expect(std::uint32_t method) {
  const Frame frame = receive();
  if (frame.method() != method) {
    throw std::runtime_error(std::format("the broker sent {:x} instead of {:x}: {}", frame.method(),
                                         method, frame.payload.substr(4)));
  }
  return frame.payload.substr(4);
}

}  // namespace auth_errors::tests
