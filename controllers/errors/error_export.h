// Running exports: pages of errors, written as lines of JSON to a chunked response no faster than
// the client reads. One object for all I/O loops; each export stays on its own. Memory is bounded
// by a page and kMaxUnsentBytes per export, whatever the client does. An export that cannot be
// finished closes its connection, so that clients cannot mistake it for complete.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <trantor/net/TcpConnection.h>

#include "controllers/http/metrics.h"
#include "platform/workers/per_loop.h"
#include "triage/errors/error_reader.h"

namespace auth_errors::controllers {

struct ExportOptions {
  std::size_t maxExports = 0;            // concurrently, over all loops
  std::chrono::milliseconds patience{};  // for a client that does not read
  std::chrono::milliseconds pageDeadline{};
  std::function<bool()> draining;
};

class ErrorExports {
 public:
  static constexpr std::size_t kPageRows = 200;
  static constexpr std::size_t kMaxUnsentBytes = std::size_t{1024} * 1024;

  ErrorExports(ExportOptions options, const workers::PerLoop<triage::ErrorReader>& readers,
               Metrics& metrics);

  // Permission to export, until it is destroyed. Null if too many exports are running, or one on
  // the same connection: pending bytes of two streams cannot be told apart. The connection guard
  // starts the second one after the first has ended, unless Drogon is unpatched.
  std::shared_ptr<void> admit(const drogon::HttpRequest& request);

  // Responds with `first` and the following pages: those for `next`, whose filter must be that of
  // `first`, until `rows` rows are written or none is left.
  drogon::HttpResponsePtr stream(const drogon::HttpRequest& request, std::shared_ptr<void> right,
                                 std::vector<triage::StoredAuthError> first,
                                 triage::PageRequest next, std::optional<std::size_t> rows);

 private:
  struct Export;

  drogon::Task<> run(std::shared_ptr<Export> work);
  drogon::Task<ExportEnd> write(Export& work);
  drogon::Task<std::optional<ExportEnd>> waitForClient(Export& work);

  ExportOptions options_;
  const workers::PerLoop<triage::ErrorReader>& readers_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::list<std::weak_ptr<trantor::TcpConnection>>
      connections_;  // connections with a running export
};

}  // namespace auth_errors::controllers
