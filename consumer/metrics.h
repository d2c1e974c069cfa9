// The metrics of the consumer and of the dead-letter intake. Usable from any thread.
#pragma once

#include <cstdint>

#include "domain/values/names.h"
#include "platform/telemetry/metric.h"

namespace auth_errors::consumer {

enum class ConsumeOutcome : std::uint8_t {
  done,
  skipped,  // the error is in a terminal state
  retried,
  dead,
  rejected,   // no retry would mend it
  held,       // another consumer has its lease
  waiting,    // it came back before it was due
  repeated,   // it was done, or given up, before
  fencedOff,  // another consumer took it over meanwhile
  foreign,    // not the event that the database has under its outbox id
  parked,     // belongs to another installation
};
constexpr auto namesOf(ConsumeOutcome /*any*/) {
  return domain::nameTable<ConsumeOutcome>({{ConsumeOutcome::done, "done"},
                                            {ConsumeOutcome::skipped, "skipped"},
                                            {ConsumeOutcome::retried, "retried"},
                                            {ConsumeOutcome::dead, "dead"},
                                            {ConsumeOutcome::rejected, "rejected"},
                                            {ConsumeOutcome::held, "held"},
                                            {ConsumeOutcome::waiting, "waiting"},
                                            {ConsumeOutcome::repeated, "repeated"},
                                            {ConsumeOutcome::fencedOff, "fenced_off"},
                                            {ConsumeOutcome::foreign, "foreign"},
                                            {ConsumeOutcome::parked, "parked"}});
}

enum class IntakeOutcome : std::uint8_t { recorded, stale, foreign, parked };
constexpr auto namesOf(IntakeOutcome /*any*/) {
  return domain::nameTable<IntakeOutcome>({{IntakeOutcome::recorded, "recorded"},
                                           {IntakeOutcome::stale, "stale"},
                                           {IntakeOutcome::foreign, "foreign"},
                                           {IntakeOutcome::parked, "parked"}});
}

struct Metrics {
  telemetry::Registry& registry;

  telemetry::CounterBy<ConsumeOutcome> messages{registry, "auth_errors_consumer_messages_total",
                                                "outcome", "Received messages by outcome."};
  telemetry::CounterBy<IntakeOutcome> deadLetters{
      registry, "auth_errors_dead_letter_intake_total", "outcome",
      "Messages from the dead-letter queue: recorded as an event's dead letter, stale because the "
      "event has progressed without it, foreign, parked because it belongs to another "
      "installation."};
};

}  // namespace auth_errors::consumer
