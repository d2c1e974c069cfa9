// Reads a job from its row. Pure; usable from any thread.
#pragma once

#include <string>

namespace auth_errors::jobs {

// The columns to select or return from the row `job`, for Result::as<Job>().
const std::string& jobColumns();

}  // namespace auth_errors::jobs
