// Errors as the server states them, made safe to log. Pure functions. Only for this folder's own
// sources.
#pragma once

#include <string>

#include <libpq-fe.h>

#include "platform/database/error.h"

namespace auth_errors::database {

// One field of an error, empty if it is missing.
std::string errorField(const PGresult* result, int field);

// The server ended the session with this, or libpq made it up because the session is gone.
bool endsSession(const PGresult* result);

// For classes 22 and 23 the primary message may quote values, so only names are taken from them.
std::string safeMessage(const PGresult* result);

Error toError(const PGresult* result);

}  // namespace auth_errors::database
