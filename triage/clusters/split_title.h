// Titles of split-off clusters: the old title and the criterion of the split. Pure; usable from any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "triage/errors/error_match.h"

namespace auth_errors::clusters {

// "service login, status 401".
std::string describe(const triage::ErrorMatch& match);

// "BadCredentialsException in com.acme.Login.check (service login)"; if too long, the old title is
// truncated first.
std::string splitTitle(std::string_view title, std::string_view splitBy);

}  // namespace auth_errors::clusters
