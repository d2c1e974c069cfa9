// Names for clusters that people split off: the old one's, and what was split by. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "triage/errors/error_match.h"

namespace auth_errors::clusters {

// "service login, status 401".
std::string describe(const triage::ErrorMatch& match);

// "BadCredentialsException in com.acme.Login.check (service login)"; cut where it is too long, the
// old title first.
std::string splitTitle(std::string_view title, std::string_view splitBy);

}  // namespace auth_errors::clusters
