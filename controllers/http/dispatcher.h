// Receives every request from Drogon, creates its context, finds its route and ensures a response.
// One object for all I/O loops; immutable after construction except for its counters.
//
// Drogon's own router is not used: it falls back to serving files from the working directory,
// ignores case, runs std::regex (recursive, so a long path can end the process) on client input,
// sends no Allow header and answers OPTIONS with an open CORS policy.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <drogon/HttpAppFramework.h>

#include "controllers/http/client_address.h"
#include "controllers/http/gatekeeper.h"
#include "controllers/http/metrics.h"
#include "controllers/http/request_context.h"
#include "controllers/routes.h"

namespace auth_errors::controllers {

// The load of the service, and whether it is shutting down. Usable from any thread.
struct Traffic {
  std::atomic<std::int64_t> inFlight = 0;
  std::atomic<bool> draining = false;
};

struct DispatcherOptions {
  std::vector<Route> routes;
  std::vector<IpNetwork> trustedProxies;
  ForwardedHeader forwardedHeader = ForwardedHeader::xForwardedFor;
  std::shared_ptr<Gatekeeper> gatekeeper;
  std::size_t maxBodyBytes = 0;  // for requests without a route
  std::chrono::milliseconds requestDeadline{};
  bool servesApi = true;  // otherwise only routes that need no key
  std::shared_ptr<Metrics> metrics;
  std::shared_ptr<Traffic> traffic;
  // Called on the request's loop; the result is kept until the request has ended.
  std::function<std::shared_ptr<RequestLoad>(const drogon::HttpRequest&)> takeOn;
  // Returns when the calling I/O loop has time for the next slice of a long request.
  std::function<drogon::Task<>()> nextSlice;
  // Called for each short request, so that long ones yield to it.
  std::function<void()> letPass;
};

class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  explicit Dispatcher(DispatcherOptions options);

  // Called before app.run(). The app keeps the dispatcher alive.
  void install(drogon::HttpAppFramework& app);

  // Only needs the request line.
  [[nodiscard]] std::size_t maxBodyBytes(const drogon::HttpRequest& request) const;

 private:
  using Answer = std::function<void(const drogon::HttpResponsePtr&)>;

  void dispatch(const drogon::HttpRequestPtr& request, Answer answer);
  // Checks made before the body is examined.
  std::optional<Refusal> admit(const Route* route, const drogon::HttpRequest& request,
                               RequestContext& context) const;
  void serve(const Route& route, const drogon::HttpRequestPtr& request, Answer answer);
  // Inflates the body in place, or returns why it cannot.
  drogon::Task<std::optional<Refusal>> inflate(const Route& route,
                                               drogon::HttpRequestPtr request) const;
  RequestContextPtr ensureContext(const drogon::HttpRequest& request);
  drogon::HttpResponsePtr refusedByFramework(drogon::HttpStatusCode status,
                                             const drogon::HttpRequest& request);
  void beforeSending(const drogon::HttpRequest& request, drogon::HttpResponse& response);
  void ended(const RequestContext& context);

  DispatcherOptions options_;
  std::unordered_map<std::string_view, RouteMetrics> routeMetrics_;
};

}  // namespace auth_errors::controllers
