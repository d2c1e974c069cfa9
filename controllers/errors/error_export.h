// Exports on their way: pages of errors, written as lines of JSON to a chunked answer as fast as
// the client reads and never faster. One object for all IO loops; each export stays on its own.
// Memory is bounded by a page and kMaxUnsentBytes per export, whatever the client does. An export
// that can't be finished breaks its connection off, so that no client takes a part for the whole.
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
  std::size_t maxExports = 0;            // at once, over all loops
  std::chrono::milliseconds patience{};  // for a client that reads nothing
  std::chrono::milliseconds pageDeadline{};
  std::function<bool()> draining;
};

class ErrorExports {
 public:
  static constexpr std::size_t kPageRows = 200;
  static constexpr std::size_t kMaxUnsentBytes = std::size_t{1024} * 1024;

  ErrorExports(ExportOptions options, const workers::PerLoop<triage::ErrorReader>& readers,
               Metrics& metrics);

  // The right to export, until it is destroyed. Null if too many are under way, or one on the same
  // connection: bytes of two streams that wait behind each other can't be told apart. The
  // connection guard begins the second after the first has ended, unless Drogon is unpatched.
  std::shared_ptr<void> admit(const drogon::HttpRequest& request);

  // Answers with `first` and what follows it: pages for `next`, whose filter must be that of
  // `first`, until `rows` rows are written or nothing is left.
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
  std::list<std::weak_ptr<trantor::TcpConnection>> connections_;  // that export
};

}  // namespace auth_errors::controllers
