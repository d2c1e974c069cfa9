// AMQP field tables to and from Headers. Pure functions; only for this folder's own sources.
//
// Reading is not left to AMQP-CPP: it takes RabbitMQ's 16-bit integers for strings and knows
// nothing of byte arrays, loses its place after both, and follows nesting as deep as a stranger may
// send it.
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
