// A job as clients see it. Pure; any thread.
#pragma once

#include <string>

#include <drogon/HttpResponse.h>

#include "triage/jobs/job.h"

namespace auth_errors::controllers {

// Appends one object.
void appendJob(std::string& out, const jobs::Job& job);

// The 202 for a requested job: what was accepted, and where to watch it.
drogon::HttpResponsePtr acceptedResponse(const jobs::Job& job);

}  // namespace auth_errors::controllers
