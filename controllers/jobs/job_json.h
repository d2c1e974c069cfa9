// A job as JSON. Pure; usable from any thread.
#pragma once

#include <string>

#include <drogon/HttpResponse.h>

#include "triage/jobs/job.h"

namespace auth_errors::controllers {

// Appends one object.
void appendJob(std::string& out, const jobs::Job& job);

// The 202 response for an accepted job, with its location.
drogon::HttpResponsePtr acceptedResponse(const jobs::Job& job);

}  // namespace auth_errors::controllers
