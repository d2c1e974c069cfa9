// A job as its row holds it. Pure; any thread.
#pragma once

#include <string>

namespace auth_errors::jobs {

// What a statement selects or returns of the row `job`, for Result::as<Job>().
const std::string& jobColumns();

}  // namespace auth_errors::jobs
