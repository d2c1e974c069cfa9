// Maps each field of a submission to its column of auth_error, for writers and readers. Constants,
// usable from any thread.
#pragma once

#include <array>
#include <string_view>

#include "domain/errors/submission.h"

namespace auth_errors::domain {

struct TextColumn {
  TextField field;
  std::string_view name;
};

inline constexpr auto kTextColumns = std::to_array<TextColumn>({
    {TextField::requestId, "dedup_key"},
    {TextField::exceptionClass, "exception_class"},
    {TextField::stacktrace, "stacktrace"},
    {TextField::exceptionMessage, "exception_message"},
    {TextField::rootCauseClass, "root_cause_class"},
    {TextField::rootCauseMessage, "root_cause_message"},
    {TextField::httpMethod, "http_method"},
    {TextField::requestUri, "request_uri"},
    {TextField::userAgent, "user_agent"},
    {TextField::serviceName, "service_name"},
    {TextField::environment, "environment"},
    {TextField::traceId, "trace_id"},
    {TextField::userId, "user_id"},
    {TextField::sessionId, "session_id"},
    {TextField::clientIp, "client_ip"},
});
static_assert(kTextColumns.size() == kTextFieldCount);

struct PseudonymColumn {
  ActorKind kind;
  std::string_view name;
};

inline constexpr auto kPseudonymColumns = std::to_array<PseudonymColumn>({
    {ActorKind::user, "user_pseudonym"},
    {ActorKind::session, "session_pseudonym"},
    {ActorKind::clientIp, "client_ip_pseudonym"},
});
static_assert(kPseudonymColumns.size() == kActorKindCount);

}  // namespace auth_errors::domain
