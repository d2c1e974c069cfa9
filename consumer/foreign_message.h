// Makes a foreign message safe to store: nothing of it is stored before it is scrubbed, truncated
// and validated as text. Pure; usable from any thread.
#pragma once

#include <cstddef>

#include "domain/errors/dead_letter.h"
#include "platform/messaging/message.h"
#include "triage/dead_letters/dead_letter_intake_store.h"

namespace auth_errors::consumer {

inline constexpr std::size_t kMaxBinaryBytes = 6'000;
inline constexpr std::size_t kMaxHeaders = 100;

// The reason in the message's headers why it is in the dead-letter queue, if any.
domain::DeadLetterReason reasonOf(const messaging::Message& message);

// A binary body (not UTF-8, or with NUL) is stored as the base64 of its first bytes only if it is
// not compressed and does not look like it contains a secret in any encoding; otherwise it is
// dropped, because a secret cannot be cut out of binary data.
triage::ForeignMessage describeForeign(const messaging::Delivery& delivery);

// The parked form of a message of another installation. An event in the service's own form is kept
// unchanged, so that it can be returned; everything else is scrubbed as for a table.
messaging::Message fitToPark(messaging::Message message);

// Only the identifying fields, for content that could not be stored.
triage::ForeignMessage describeBriefly(const messaging::Delivery& delivery);

}  // namespace auth_errors::consumer
