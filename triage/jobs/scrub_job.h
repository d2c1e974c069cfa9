// SQL for the row of the job that applies the current scrubber to stored texts. At most one such
// job is open. Pure; usable from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "platform/database/statement.h"

namespace auth_errors::jobs {

// Selects the open job.
database::Statement openScrubJob();

// Inserts a job and returns its row, or no row if one is open. `total` is an expression for the
// number of rows to examine; the values are the scrubber version, the traceparent and the
// requester.
database::Statement newScrubJob(std::string_view total, std::int64_t lastPosition);

}  // namespace auth_errors::jobs
