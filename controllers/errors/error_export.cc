#include "controllers/errors/error_export.h"

#include <algorithm>
#include <exception>
#include <format>
#include <string>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "controllers/errors/error_json.h"
#include "controllers/http/request_context.h"
#include "controllers/http/send_window.h"
#include "platform/telemetry/log.h"

namespace auth_errors::controllers {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLookAtClient = 10ms;

// The size on the wire, as framed by ResponseStream: the length in hex and two line ends.
std::size_t chunkBytes(std::size_t size) { return size + std::formatted_size("{:x}", size) + 4; }

}  // namespace

struct ErrorExports::Export {
  // Keeps the request in flight: shutdown waits for it, and the connection counts as in use.
  RequestContextPtr context;
  std::shared_ptr<void> right;
  std::weak_ptr<trantor::TcpConnection> connection;
  std::vector<triage::StoredAuthError> page;
  triage::PageRequest next;
  std::optional<std::size_t> rowsLeft;
  drogon::ResponseStreamPtr stream;
  std::optional<SendWindow> window;
};

ErrorExports::ErrorExports(ExportOptions options,
                           const workers::PerLoop<triage::ErrorReader>& readers, Metrics& metrics)
    : options_(std::move(options)), readers_(readers), metrics_(metrics) {}

std::shared_ptr<void> ErrorExports::admit(const drogon::HttpRequest& request) {
  const auto& connection = request.getConnectionPtr();
  const std::scoped_lock lock(mutex_);
  const bool exportsAlready = std::ranges::any_of(
      connections_,
      [shared = connection.lock()](const auto& exporting) { return exporting.lock() == shared; });
  if (exportsAlready || connections_.size() >= options_.maxExports) {
    return nullptr;
  }
  const auto entry = connections_.insert(connections_.end(), connection);
  return {this, [this, entry](void*) {
            const std::scoped_lock ending(mutex_);
            connections_.erase(entry);
          }};
}

drogon::HttpResponsePtr ErrorExports::stream(const drogon::HttpRequest& request,
                                             std::shared_ptr<void> right,
                                             std::vector<triage::StoredAuthError> first,
                                             triage::PageRequest next,
                                             std::optional<std::size_t> rows) {
  const auto work = std::make_shared<Export>();
  work->context = contextOf(request);
  work->context->streams = true;
  work->right = std::move(right);
  work->connection = request.getConnectionPtr();
  work->page = std::move(first);
  work->next = std::move(next);
  work->rowsLeft = rows;
  // Drogon would close an idle connection; here only the client's inactivity counts.
  constexpr bool kWithoutIdleTimeout = true;
  return drogon::HttpResponse::newAsyncStreamResponse(
      [this, work](drogon::ResponseStreamPtr stream) {
        const auto connection = work->connection.lock();
        if (!connection) {
          return;
        }
        work->stream = std::move(stream);
        work->window.emplace(connection->bytesSent(),
                             connection->isSSLConnection() ? Transport::tls : Transport::plain);
        // Not inside the connection's own callback, which closing it would destroy.
        connection->getLoop()->queueInLoop(
            [this, work] { drogon::async_run([this, work] { return run(work); }); });
      },
      kWithoutIdleTimeout);
}

drogon::Task<> ErrorExports::run(std::shared_ptr<Export> work) {
  ExportEnd end = ExportEnd::failed;
  try {
    end = co_await write(*work);
  } catch (const std::exception& error) {
    telemetry::log(telemetry::LogLevel::error, "export.failed", {{"error", error.what()}});
  }
  metrics_.exports[end].add();
  const auto connection = work->connection.lock();
  if (!connection) {
    co_return;
  }
  if (end != ExportEnd::completed) {
    // Before the stream is destroyed, which would send the last chunk.
    connection->forceClose();
    co_return;
  }
  work->stream->close();
  if (work->context->closeAfterStream) {
    connection->shutdown();
  }
}

drogon::Task<ExportEnd> ErrorExports::write(Export& work) {
  while (!work.page.empty()) {
    std::string lines;
    for (const triage::StoredAuthError& error : work.page) {
      appendJson(lines, error, work.next.extent);
      lines += '\n';
    }
    const std::size_t written = work.page.size();
    const bool last = written < work.next.rows || work.rowsLeft == written;
    work.next.before = work.page.back().id;
    work.page.clear();
    if (!work.stream->send(lines)) {
      co_return ExportEnd::clientGone;
    }
    work.window->handOver(chunkBytes(lines.size()));
    metrics_.exportedErrors.add(written);
    if (const auto end = co_await waitForClient(work)) {
      co_return *end;
    }
    if (last) {
      break;
    }
    if (work.rowsLeft) {
      *work.rowsLeft -= written;
      work.next.rows = std::min(work.next.rows, *work.rowsLeft);
    }
    auto page = co_await readers_.local().page(work.next, Clock::now() + options_.pageDeadline);
    if (!page) {
      co_return ExportEnd::failed;
    }
    work.page = *std::move(page);
  }
  co_return ExportEnd::completed;
}

drogon::Task<std::optional<ExportEnd>> ErrorExports::waitForClient(Export& work) {
  std::size_t sentBefore = 0;
  auto sentAt = Clock::now();
  while (true) {
    const auto connection = work.connection.lock();
    if (!connection || !connection->connected()) {
      co_return ExportEnd::clientGone;
    }
    if (options_.draining()) {
      co_return ExportEnd::draining;
    }
    const std::size_t sent = connection->bytesSent();
    if (work.window->unsent(sent) <= kMaxUnsentBytes) {
      co_return std::nullopt;
    }
    if (std::exchange(sentBefore, sent) != sent) {
      sentAt = Clock::now();
    } else if (Clock::now() - sentAt >= options_.patience) {
      co_return ExportEnd::clientTooSlow;
    }
    co_await drogon::sleepCoro(connection->getLoop(), kLookAtClient);
  }
}

}  // namespace auth_errors::controllers
