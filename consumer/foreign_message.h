// A message that is no event of ours, made fit to be stored: nothing of it reaches a table before
// it was scrubbed, cut and checked to be text. Pure; any thread.
#pragma once

#include <cstddef>

#include "domain/errors/dead_letter.h"
#include "platform/messaging/message.h"
#include "triage/dead_letters/dead_letter_intake_store.h"

namespace auth_errors::consumer {

inline constexpr std::size_t kMaxBinaryBytes = 6'000;
inline constexpr std::size_t kMaxHeaders = 100;

// Why a message is in the dead-letter queue, as far as it says.
domain::DeadLetterReason reasonOf(const messaging::Message& message);

// A body that is not text (no UTF-8, or with NUL) is kept as the base64 of its first bytes only if
// nothing in it looks like a secret, however it is read, and it is not compressed; else nothing of
// it is kept, for a secret in bytes can't be cut out of them.
triage::ForeignMessage describeForeign(const messaging::Delivery& delivery);

// What is parked of a message of another installation. An event as the service makes it stays byte
// for byte, to be returned; everything else is scrubbed as it would be for a table.
messaging::Message fitToPark(messaging::Message message);

// Nothing but what it is known by: for content that could not be stored.
triage::ForeignMessage describeBriefly(const messaging::Delivery& delivery);

}  // namespace auth_errors::consumer
