#include "platform/messaging/header_table.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <json/value.h>

#include "platform/encoding/json_writer.h"
#include "platform/messaging/wire_reader.h"

namespace auth_errors::messaging {
namespace {

// Deeper values are read as null.
constexpr int kMaxDepth = 32;

// A value read from the wire: plain, or a table or array whose fields are not read yet.
struct Container {
  bool table = false;
  std::string_view fields;
};
using Field = std::variant<HeaderValue, Container>;

// The type letters as RabbitMQ uses them, which differ from AMQP 0-9-1 in places.
Field readField(WireReader& reader) {
  const auto integer = [&reader]<typename Number>(Number) {
    return HeaderValue(static_cast<std::int64_t>(reader.number<Number>()));
  };
  switch (reader.number<char>()) {
    case 't':
      return HeaderValue(reader.number<std::uint8_t>() != 0);
    case 'b':
      return integer(std::int8_t{});
    case 'B':
      return integer(std::uint8_t{});
    case 's':
    case 'U':
      return integer(std::int16_t{});
    case 'u':
      return integer(std::uint16_t{});
    case 'I':
      return integer(std::int32_t{});
    case 'i':
      return integer(std::uint32_t{});
    case 'l':
    case 'L':
      return integer(std::int64_t{});
    case 'T':
      return integer(std::uint64_t{});
    case 'f':
      return HeaderValue(static_cast<double>(std::bit_cast<float>(reader.number<std::uint32_t>())));
    case 'd':
      return HeaderValue(std::bit_cast<double>(reader.number<std::uint64_t>()));
    case 'D': {
      const auto places = reader.number<std::uint8_t>();
      return HeaderValue(reader.number<std::int32_t>() / std::pow(10.0, places));
    }
    case 'S':
    case 'x':
      return HeaderValue(std::string(reader.longString()));
    case 'V':
      return HeaderValue();
    case 'F':
      return Container{.table = true, .fields = reader.longString()};
    case 'A':
      return Container{.table = false, .fields = reader.longString()};
    default:
      // Unknown type, so its length is unknown too.
      reader.bytes(reader.left() + 1);
      return HeaderValue();
  }
}

struct ToJson {
  Json::Value operator()(std::monostate) const { return {}; }
  Json::Value operator()(bool flag) const { return flag; }
  Json::Value operator()(std::int64_t number) const { return Json::Int64{number}; }
  Json::Value operator()(double number) const { return number; }
  Json::Value operator()(const std::string& text) const { return text; }
};

std::optional<Json::Value> readContainer(const Container& container, int depth) {
  Json::Value result(container.table ? Json::objectValue : Json::arrayValue);
  WireReader reader(container.fields);
  while (!reader.atEnd()) {
    const std::string name(container.table ? reader.shortString() : std::string_view());
    const Field field = readField(reader);
    if (reader.failed()) {
      return std::nullopt;
    }
    Json::Value value;
    if (const auto* plain = std::get_if<HeaderValue>(&field)) {
      value = std::visit(ToJson{}, *plain);
    } else if (depth < kMaxDepth) {
      auto inner = readContainer(std::get<Container>(field), depth + 1);
      if (!inner) {
        return std::nullopt;
      }
      value = std::move(*inner);
    }
    if (container.table) {
      result[name] = std::move(value);
    } else {
      result.append(std::move(value));
    }
  }
  return result;
}

// AMQP-CPP sends the bytes of a double in host order.
double inNetworkOrder(double number) {
  if constexpr (std::endian::native == std::endian::big) {
    return number;
  }
  return std::bit_cast<double>(std::byteswap(std::bit_cast<std::uint64_t>(number)));
}

struct ToField {
  AMQP::Table& table;
  const std::string& name;

  void operator()(std::monostate) const { table.set(name, nullptr); }
  void operator()(double number) const { table.set(name, AMQP::Double(inNetworkOrder(number))); }
  void operator()(const auto& value) const { table.set(name, value); }
};

}  // namespace

std::optional<Headers> decodeHeaders(std::string_view table) {
  Headers headers;
  WireReader reader(table);
  while (!reader.atEnd()) {
    std::string name(reader.shortString());
    Field field = readField(reader);
    if (reader.failed()) {
      return std::nullopt;
    }
    if (auto* plain = std::get_if<HeaderValue>(&field)) {
      headers.emplace_back(std::move(name), std::move(*plain));
      continue;
    }
    const auto nested = readContainer(std::get<Container>(field), 1);
    if (!nested) {
      return std::nullopt;
    }
    headers.emplace_back(std::move(name), encoding::toJson(*nested));
  }
  return headers;
}

AMQP::Table encodeHeaders(const Headers& headers) {
  AMQP::Table table;
  for (const auto& [name, value] : headers) {
    std::visit(ToField{.table = table, .name = name}, value);
  }
  return table;
}

}  // namespace auth_errors::messaging
