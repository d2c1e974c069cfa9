#include "platform/telemetry/process_metrics.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <unistd.h>

#include "platform/telemetry/log.h"

namespace auth_errors::telemetry {
namespace {

std::int64_t residentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::ptrdiff_t openDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  // The iterator's own descriptor is among them.
  return error ? 0 : std::distance(begin(entries), end(entries)) - 1;
}

}  // namespace

ProcessMetrics::ProcessMetrics(Registry& registry, CodeText version, CodeText drogon)
    : registry_(registry) {
  buildInfo_[version, drogon].set(1);
  startTime_.set(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}

void ProcessMetrics::update() {
  suppressedLogLines_.set(suppressedLogLines());
  residentMemory_.set(residentBytes());
  openDescriptors_.set(openDescriptors());
}

}  // namespace auth_errors::telemetry
