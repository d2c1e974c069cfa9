// A job as its row holds it: the columns, and how they are read. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "platform/database/result.h"
#include "triage/jobs/job.h"

namespace auth_errors::jobs {

// For statements that select or return them of the row `job`, in the order in which jobOf() reads
// them.
const std::string& jobColumns();

Job jobOf(const database::Result& result, std::size_t row);

}  // namespace auth_errors::jobs
