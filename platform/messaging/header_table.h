// Converts AMQP field tables to and from Headers. Pure functions; only for this folder's own
// sources.
//
// Decoding is not left to AMQP-CPP: it reads RabbitMQ's 16-bit integers as strings, does not
// support byte arrays, loses its position after both, and recurses as deep as the sender nests
// tables.
#pragma once

#include <optional>
#include <string_view>

#include <amqpcpp.h>

#include "platform/messaging/message.h"

namespace auth_errors::messaging {

// The table's fields, without its length; nothing if they are malformed.
std::optional<Headers> decodeHeaders(std::string_view table);

AMQP::Table encodeHeaders(const Headers& headers);

}  // namespace auth_errors::messaging
