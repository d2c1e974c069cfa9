// A small blocking AMQP 0-9-1 client on a plain socket, to loopback only. Tests use it to verify
// the messaging layer independently, and to do what that layer never would. For one thread. Every
// failure throws, which fails the test.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/messaging/message.h"
#include "tests/support/file_descriptor.h"

namespace auth_errors::tests {

// Builds AMQP frames: numbers in network order, strings with their length.
class AmqpBytes {
 public:
  template <typename Number>
  AmqpBytes& number(Number value) {
    for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>(
          (static_cast<std::uint64_t>(value) >> static_cast<unsigned>(shift)) & 0xFFU);
    }
    return *this;
  }
  AmqpBytes& raw(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  AmqpBytes& shortText(std::string_view text) {
    return number(static_cast<std::uint8_t>(text.size())).raw(text);
  }
  AmqpBytes& longText(std::string_view text) {
    return number(static_cast<std::uint32_t>(text.size())).raw(text);
  }
  // A field of a table with its value in encoded form.
  AmqpBytes& field(std::string_view name, char type, std::string_view value) {
    shortText(name).raw({&type, 1});
    return raw(value);
  }
  AmqpBytes& field(std::string_view name, std::string_view text) {
    return field(name, 'S', AmqpBytes().longText(text).text());
  }
  AmqpBytes& field(std::string_view name, std::int32_t number) {
    return field(name, 'I', AmqpBytes().number(number).text());
  }

  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  std::string bytes_;
};

// Frame types and the encoding of a frame.
inline constexpr std::uint8_t kAmqpMethod = 1;
inline constexpr std::uint8_t kAmqpHeader = 2;
inline constexpr std::uint8_t kAmqpBody = 3;
inline constexpr std::uint8_t kAmqpHeartbeat = 8;
std::string amqpFrame(std::uint8_t type, std::uint16_t channel, std::string_view payload);

class AmqpClient {
 public:
  struct Got {
    bool redelivered = false;
    messaging::ExchangeName exchange;
    std::string routingKey;
    std::string properties;  // encoded: flags and values
    std::string body;
  };

  // `url` has the form amqp://user:password@127.0.0.1:port/.
  explicit AmqpClient(const std::string& url);

  // `arguments` holds the encoded fields of a table.
  void declareQueue(const messaging::QueueName& name, std::string_view arguments);
  void deleteQueue(const messaging::QueueName& name);
  void deleteExchange(const messaging::ExchangeName& name);
  void bindQueue(const messaging::QueueName& queue, const messaging::ExchangeName& exchange,
                 std::string_view key);
  void purgeQueue(const messaging::QueueName& name);
  void unbindQueue(const messaging::QueueName& queue, const messaging::ExchangeName& exchange,
                   std::string_view key);
  std::uint32_t countMessages(const messaging::QueueName& queue);
  // `headers` holds the encoded fields of a table. Returns once the broker has confirmed the
  // message.
  void publish(const messaging::ExchangeName& exchange, std::string_view key,
               std::string_view headers, std::string_view body);
  // Consumes and acknowledges one message.
  std::optional<Got> get(const messaging::QueueName& queue);

 private:
  struct Frame {
    std::uint8_t type = 0;
    std::string payload;

    [[nodiscard]] std::uint32_t method() const;
  };

  void send(std::uint8_t type, std::uint16_t channel, std::string_view payload);
  void call(std::uint16_t channel, std::uint32_t method, const AmqpBytes& arguments);
  Frame receive();
  // Reads the next method frame. Throws if it is a different method.
  std::string expect(std::uint32_t method);
  std::string readExactly(std::size_t count);

  FileDescriptor socket_;
  std::string received_;
};

}  // namespace auth_errors::tests
