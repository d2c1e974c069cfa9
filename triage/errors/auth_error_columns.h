// Maps each field of a submission to its column of auth_error, for writers and readers. Constants,
// usable from any thread.
#pragma once

#include <array>
#include <string_view>

#include "domain/errors/submission.h"

namespace auth_errors::triage {

struct TextColumn {
  domain::TextField field;
  std::string_view name;
};

inline constexpr auto kTextColumns = std::to_array<TextColumn>({
    {domain::TextField::requestId, "dedup_key"},
    {domain::TextField::exceptionClass, "exception_class"},
    {domain::TextField::stacktrace, "stacktrace"},
    {domain::TextField::exceptionMessage, "exception_message"},
    {domain::TextField::rootCauseClass, "root_cause_class"},
    {domain::TextField::rootCauseMessage, "root_cause_message"},
    {domain::TextField::httpMethod, "http_method"},
    {domain::TextField::requestUri, "request_uri"},
    {domain::TextField::userAgent, "user_agent"},
    {domain::TextField::serviceName, "service_name"},
    {domain::TextField::environment, "environment"},
    {domain::TextField::traceId, "trace_id"},
    {domain::TextField::userId, "user_id"},
    {domain::TextField::sessionId, "session_id"},
    {domain::TextField::clientIp, "client_ip"},
});
static_assert(kTextColumns.size() == domain::kTextFieldCount);

struct PseudonymColumn {
  domain::ActorKind kind;
  std::string_view name;
};

inline constexpr auto kPseudonymColumns = std::to_array<PseudonymColumn>({
    {domain::ActorKind::user, "user_pseudonym"},
    {domain::ActorKind::session, "session_pseudonym"},
    {domain::ActorKind::clientIp, "client_ip_pseudonym"},
});
static_assert(kPseudonymColumns.size() == domain::kActorKindCount);

}  // namespace auth_errors::triage
