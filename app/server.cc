#include "app/server.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <drogon/HttpAppFramework.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <trantor/net/InetAddress.h>
#include <unistd.h>

#include "app/connection_guard.h"
#include "app/framework_log.h"
#include "app/shutdown.h"
#include "controllers/http/dispatcher.h"
#include "controllers/http/gatekeeper.h"
#include "platform/telemetry/log.h"

namespace drogon {

// Added by our patch 0009, which does not change Drogon's headers; null in an unpatched library,
// which then has one limit for all requests.
[[gnu::weak]] void setMaxBodySizeCallback(
    std::function<std::size_t(const HttpRequestPtr&)> callback);

}  // namespace drogon

namespace auth_errors::app {
namespace {

// Limit on the request line and headers, which precede the body; the parser itself only bounds
// single lines.
constexpr std::size_t kMaxHeaderBytes = std::size_t{256} * 1024;
// Requests that a client may send without reading a response. The connection guard pauses it long
// before, unless Drogon is unpatched.
constexpr std::size_t kMaxPipelined = 256;
constexpr int kLargeBuffer = 256 * 1024;
// Below a file, so it cannot be created: Drogon creates its upload folders unconditionally.
constexpr const char* kNoUploads = "/dev/null/uploads";

// A body slightly over its limit is still read, so that the connection survives the refusal; after
// a longer one the connection is closed.
constexpr std::size_t kOversize = std::size_t{1024} * 1024;
std::size_t withOversize(std::size_t limit) { return limit + std::min(limit, kOversize); }

std::size_t parserBodyLimit(const Settings::Http& http) {
  return withOversize(std::max(http.maxBodyBytes, http.maxBatchBodyBytes));
}

// Drogon's loops share the port by SO_REUSEPORT, so a second instance could share it by accident.
std::expected<void, std::string> checkPortIsFree(const Settings::Http& http) {
  const trantor::InetAddress address(http.address, http.port,
                                     http.address.find(':') != std::string::npos);
  const auto* raw = address.getSockAddr();
  const int descriptor = ::socket(raw->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int reuse = 1;
  const socklen_t size = address.isIpV6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  const bool free = descriptor >= 0 &&
                    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
                    ::bind(descriptor, raw, size) == 0 && ::listen(descriptor, 1) == 0;
  const int error = errno;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (free) {
    return {};
  }
  return std::unexpected("cannot listen on " + address.toIpPort() + ": " +
                         std::generic_category().message(error));
}

void configure(drogon::HttpAppFramework& app, const Settings::Http& http) {
  const bool tls = !http.tlsCertificate.empty();
  app.addListener(http.address, http.port, tls, http.tlsCertificate.string(), http.tlsKey.string(),
                  false,
                  tls ? std::vector<std::pair<std::string, std::string>>{{"MinProtocol", "TLSv1.2"}}
                      : std::vector<std::pair<std::string, std::string>>{});
  // The loops share the port in any case; this only disables Drogon's own check of the port, which
  // truncates a file with a fixed name in /tmp.
  app.enableReusePort();
  app.setThreadNum(http.threads);
  app.setClientMaxBodySize(parserBodyLimit(http));
  // Equal limits; otherwise larger bodies would be written to disk unmodified.
  app.setClientMaxMemoryBodySize(parserBodyLimit(http));
  app.setUploadPath(kNoUploads);
  app.setIdleConnectionTimeout(static_cast<std::size_t>(http.idleTimeout.count()));
  app.setPipeliningRequestsNumber(kMaxPipelined);
  // The connection guard enforces the limits; it treats loopback and proxies separately and has
  // metrics.
  app.setMaxConnectionNum(std::numeric_limits<std::size_t>::max());
  app.enableServerHeader(false);
  app.disableSession();
  app.enableGzip(false);
  app.enableBrotli(false);
}

}  // namespace

std::expected<void, std::string> runServer(const Settings& settings, Instance& instance,
                                           const std::shared_ptr<Metrics>& metrics) {
  if (auto free = checkPortIsFree(settings.http); !free) {
    return free;
  }
  // Returns large buffers to the system as soon as they are freed. By default the allocator adapts
  // to keep them: 184 MiB remained allocated after clients had uploaded some batches and
  // disconnected.
  ::mallopt(M_MMAP_THRESHOLD, kLargeBuffer);  // NOLINT(concurrency-mt-unsafe): no thread yet
  drogon::HttpAppFramework& app = drogon::app();
  configure(app, settings.http);

  roles::Api& api = instance.api();
  const auto guard = std::make_shared<ConnectionGuard>(
      ConnectionLimits{.maxConnections = settings.http.maxConnections,
                       .maxPerAddress = settings.http.maxConnectionsPerAddress,
                       .exemptFromPerAddress = settings.http.trustedProxies,
                       .receiveDeadline = settings.http.receiveDeadline,
                       .maxUnfinishedBytes = parserBodyLimit(settings.http) + kMaxHeaderBytes,
                       .maxHeldPerConnection = settings.http.maxHeldPerConnection,
                       .maxHeldBytes = settings.http.maxHeldBytes,
                       .tls = !settings.http.tlsCertificate.empty()},
      settings.http.threads, std::shared_ptr<ConnectionMetrics>(metrics, &metrics->connections));
  guard->install(app);

  const auto dispatcher = std::make_shared<controllers::Dispatcher>(controllers::DispatcherOptions{
      .routes = api.routes(),
      .trustedProxies = settings.http.trustedProxies,
      .forwardedHeader = settings.http.forwardedHeader,
      .gatekeeper = std::make_shared<controllers::Gatekeeper>([&api] { return api.keys().ring(); },
                                                              settings.rateLimit.perAddress),
      .maxBodyBytes = settings.http.maxBodyBytes,
      .requestDeadline = settings.database.requestDeadline,
      // An instance without the API is still monitored.
      .servesApi = settings.roles.contains(Role::api),
      .metrics = std::shared_ptr<controllers::Metrics>(metrics, &metrics->controllers),
      .traffic = api.traffic(),
      .takeOn = [guard](const drogon::HttpRequest& request) { return guard->takeOn(request); },
      .nextSlice = [&api] { return api.slices().next(); },
      .letPass = [&api] { api.slices().letPass(); }});
  dispatcher->install(app);
  if (drogon::setMaxBodySizeCallback != nullptr) {
    drogon::setMaxBodySizeCallback([guard, dispatcher](const drogon::HttpRequestPtr& request) {
      guard->expectBody(*request);
      return withOversize(dispatcher->maxBodyBytes(*request));
    });
  }

  const Shutdown shutdown(app,
                          {.deadline = settings.shutdownDeadline,
                           .traffic = api.traffic(),
                           .drainConnections = [guard] { guard->drain(); },
                           .openConnections = [guard] { return guard->open(); },
                           .stop = [&instance](auto deadline) { return instance.stop(deadline); }});

  app.registerBeginningAdvice([&] {
    frameworkLogOn();
    std::vector<trantor::EventLoop*> loops;
    loops.reserve(settings.http.threads);
    for (std::size_t i = 0; i < settings.http.threads; ++i) {
      loops.push_back(app.getIOLoop(i));
    }
    instance.start(loops);
    guard->start(loops);
    telemetry::log(telemetry::LogLevel::info, "server.listening",
                   {{"address", settings.http.address},
                    {"port", settings.http.port},
                    {"tls", !settings.http.tlsCertificate.empty()},
                    {"threads", settings.http.threads}});
  });
  app.run();
  return {};
}

}  // namespace auth_errors::app
