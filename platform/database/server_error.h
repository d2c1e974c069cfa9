// Server errors in a form that is safe to log. Pure functions. Only for this folder's own sources.
#pragma once

#include <string>

#include <libpq-fe.h>

#include "platform/database/error.h"

namespace auth_errors::database {

// One field of an error, empty if it is missing.
std::string errorField(const PGresult* result, int field);

// The server ended the session with this error, or libpq generated it because the session was lost.
bool endsSession(const PGresult* result);

// For classes 22 and 23 the primary message may quote values, so only names are taken from it.
std::string safeMessage(const PGresult* result);

Error toError(const PGresult* result);

}  // namespace auth_errors::database
