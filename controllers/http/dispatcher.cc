#include "controllers/http/dispatcher.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <format>
#include <optional>
#include <string>
#include <utility>

#include "controllers/http/content_encoding.h"
#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"
#include "domain/values/ascii.h"
#include "platform/telemetry/log.h"

namespace auth_errors::controllers {
namespace {

using Clock = std::chrono::steady_clock;
using telemetry::LogLevel;

// Label for paths without a route; the paths themselves are text from clients.
constexpr telemetry::CodeText kUnmatched = "unmatched";
// Exceptions may quote their input.
constexpr std::size_t kMaxExceptionText = 300;
// Bytes inflated before other clients of the loop are served: less than half a millisecond.
constexpr std::size_t kInflateSlice = std::size_t{64} * 1024;

std::string_view methodName(const drogon::HttpRequest& request) {
  // Drogon turns HEAD into GET and omits the body when sending.
  return request.isHead() ? "HEAD" : drogon::to_string_view(request.method());
}

IpAddress peerOf(const drogon::HttpRequest& request) {
  return IpAddress::parse(request.peerAddr().toIp()).value_or(IpAddress{});
}

LogLevel levelFor(int status) {
  if (status >= 500) {
    return LogLevel::warn;
  }
  return status >= 400 || status == 0 ? LogLevel::info : LogLevel::debug;
}

void logFailure(const RequestContext& context, std::string_view what) {
  telemetry::log(LogLevel::error, "http.handler_failed",
                 {{"requestId", context.requestId},
                  {"route", context.route},
                  {"error", domain::sanitise(what, kMaxExceptionText, {}).text.value_or("")}});
}

Refusal tooLarge(std::size_t most) {
  return {.reason = RejectReason::bodyTooLarge,
          .details = {.detail = std::format("The limit for this path is {} bytes.", most)}};
}

Refusal noRoom() {
  return {
      .reason = RejectReason::overloaded,
      .details = {.detail = "Requests and responses in progress have reached the memory limit."}};
}

bool isGzipped(const drogon::HttpRequest& request) {
  return domain::equalsWord(request.getHeader("content-encoding"), "gzip");
}

// Checks the body of a request before it is decoded.
std::optional<Refusal> checkBody(const Route& route, const drogon::HttpRequest& request,
                                 const RequestContext& context) {
  if (request.body().size() > route.maxBodyBytes) {
    return tooLarge(route.maxBodyBytes);
  }
  if (route.body == Body::none) {
    return std::nullopt;
  }
  const std::string& contentType = request.getHeader("content-type");
  const bool lines = route.body == Body::jsonOrLines;
  if (!isJson(contentType) && !(lines && isJsonLines(contentType))) {
    return Refusal{.reason = RejectReason::unsupportedMediaType,
                   .details = {.detail = lines ? "The Content-Type must be application/json or "
                                                 "application/x-ndjson."
                                               : "The Content-Type must be application/json."}};
  }
  const std::string& encoding = request.getHeader("content-encoding");
  if (!encoding.empty() && !domain::equalsWord(encoding, "identity") && !isGzipped(request)) {
    return Refusal{.reason = RejectReason::unsupportedEncoding,
                   .details = {.detail = "The only supported Content-Encoding is gzip."}};
  }
  return context.load && context.load->isTooMuch() ? std::optional(noRoom()) : std::nullopt;
}

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options) : options_(std::move(options)) {
  for (const Route& route : options_.routes) {
    routeMetrics_.try_emplace(route.pattern, *options_.metrics, route.pattern);
  }
  routeMetrics_.try_emplace(kUnmatched, *options_.metrics, kUnmatched);
  for (const RejectSpec& rejection : kRejections) {
    static_cast<void>(options_.metrics->rejections[rejection.reason, {}]);
  }
}

void Dispatcher::install(drogon::HttpAppFramework& app) {
  const auto self = shared_from_this();
  app.registerPreRoutingAdvice(
      [self](const drogon::HttpRequestPtr& request, drogon::AdviceCallback&& answer,
             drogon::AdviceChainCallback&&) { self->dispatch(request, std::move(answer)); });
  app.registerPreSendingAdvice(
      [self](const drogon::HttpRequestPtr& request, const drogon::HttpResponsePtr& response) {
        self->beforeSending(*request, *response);
      });
  app.setCustomErrorHandler(
      [self](drogon::HttpStatusCode status, const drogon::HttpRequestPtr& request) {
        return self->refusedByFramework(status, *request);
      });
  app.setExceptionHandler(
      [self](const std::exception& error, const drogon::HttpRequestPtr& request, Answer&& answer) {
        const RequestContextPtr context = self->ensureContext(*request);
        logFailure(*context, error.what());
        std::move(answer)(reject(*context, RejectReason::internalError));
      });
}

std::size_t Dispatcher::maxBodyBytes(const drogon::HttpRequest& request) const {
  const drogon::HttpMethod method = request.isHead() ? drogon::Get : request.method();
  const Route* const route = matchRoute(options_.routes, method, request.path()).route;
  return route == nullptr ? options_.maxBodyBytes : route->maxBodyBytes;
}

void Dispatcher::dispatch(const drogon::HttpRequestPtr& request, Answer answer) {
  const RequestContextPtr context = ensureContext(*request);
  PathMatch match = matchRoute(options_.routes, request->method(), request->path());
  if (match.route != nullptr) {
    context->route = match.route->pattern;
    context->pathParameters = std::move(match.parameters);
  }
  if (const auto refusal = admit(match.route, *request, *context)) {
    answer(reject(*context, refusal->reason, refusal->details));
    return;
  }
  if (match.route == nullptr) {
    if (match.othersOfThisPath.empty()) {
      answer(reject(*context, RejectReason::notFound));
      return;
    }
    context->route = match.othersOfThisPath.front()->pattern;
    const bool options = request->method() == drogon::Options;
    const auto response = options ? drogon::HttpResponse::newHttpResponse()
                                  : reject(*context, RejectReason::methodNotAllowed);
    if (options) {
      response->setStatusCode(drogon::k204NoContent);
      response->setContentTypeCode(drogon::CT_NONE);
    }
    response->addHeader("Allow", allowedMethods(match.othersOfThisPath));
    answer(response);
    return;
  }

  // The response to a batch has a line for each of its errors.
  if (context->load &&
      (match.route->access != Access::ingest || match.route->body == Body::jsonOrLines)) {
    context->load->expectLargeAnswer();
  }
  if (const auto refusal = checkBody(*match.route, *request, *context)) {
    const auto response = reject(*context, refusal->reason, refusal->details);
    if (refusal->reason == RejectReason::unsupportedEncoding) {
      response->addHeader("Accept-Encoding", "gzip, identity");
    }
    answer(response);
    return;
  }
  serve(*match.route, request, std::move(answer));
}

std::optional<Refusal> Dispatcher::admit(const Route* route, const drogon::HttpRequest& request,
                                         RequestContext& context) const {
  if (route != nullptr && route->whileDraining == WhileDraining::refuse &&
      options_.traffic->draining) {
    return Refusal{.reason = RejectReason::draining, .details = {}};
  }
  if (route != nullptr && isProbe(*route)) {
    return std::nullopt;
  }
  if (auto refusal = options_.gatekeeper->admitAddress(context);
      refusal || route == nullptr || route->access == Access::open) {
    return refusal;
  }
  if (!options_.servesApi) {
    // Not 404, because the request should be repeated at another instance.
    return Refusal{
        .reason = RejectReason::roleMissing,
        .details = {
            .detail =
                "The instance does not have the role api; send the request to one that does."}};
  }
  return options_.gatekeeper->admitCaller(context,
                                          {.authorization = request.getHeader("authorization"),
                                           .apiKey = request.getHeader("x-api-key")},
                                          route->access);
}

void Dispatcher::serve(const Route& route, const drogon::HttpRequestPtr& request, Answer answer) {
  // Requests still served while draining may arrive after the loop's parts have been stopped.
  if (route.body != Body::jsonOrLines && options_.letPass && !options_.traffic->draining) {
    options_.letPass();
  }
  drogon::async_run(
      [self = shared_from_this(), &route, request, answer = std::move(answer)]() -> drogon::Task<> {
        // async_run keeps this closure until the coroutine has ended, so it may use the captures.
        const RequestContextPtr context = contextOf(*request);
        drogon::HttpResponsePtr response;
        try {
          std::optional<Refusal> refusal;
          if (route.body != Body::none && isGzipped(*request)) {
            refusal = co_await self->inflate(route, request);
          }
          if (refusal) {
            response = reject(*context, *refusal);
          } else {
            response = co_await route.handler(Call(request));
          }
        } catch (const std::exception& error) {
          logFailure(*context, error.what());
        } catch (...) {
          logFailure(*context, "unknown exception");
        }
        answer(response ? response : reject(*context, RejectReason::internalError));
      });
}

drogon::Task<std::optional<Refusal>> Dispatcher::inflate(const Route& route,
                                                         drogon::HttpRequestPtr request) const {
  const RequestContextPtr context = contextOf(*request);
  GzipInflater inflater(request->body(), route.maxBodyBytes);
  // Refuses before doing the work, if the stream announces too large a size.
  if (context->load) {
    context->load->resizeBody(request->body().size() + inflater.announced());
    if (context->load->isTooMuch()) {
      co_return noRoom();
    }
  }
  for (bool whole = false; !whole;) {
    const auto inflated = inflater.inflate(kInflateSlice);
    if (!inflated) {
      co_return inflated.error() == InflateFault::tooLarge
          ? tooLarge(route.maxBodyBytes)
          : Refusal{.reason = RejectReason::malformedEncoding,
                    .details = {.detail = "The body is not a single complete gzip stream."}};
    }
    whole = *inflated;
    if (context->load) {
      context->load->resizeBody(request->body().size() +
                                std::max(inflater.size(), inflater.announced()));
      if (context->load->isTooMuch()) {
        co_return noRoom();
      }
    }
    if (!whole && options_.nextSlice) {
      co_await options_.nextSlice();
    }
  }
  request->setBody(inflater.take());
  if (context->load) {
    context->load->resizeBody(request->body().size());
  }
  co_return std::nullopt;
}

RequestContextPtr Dispatcher::ensureContext(const drogon::HttpRequest& request) {
  if (RequestContextPtr existing = contextOf(request)) {
    return existing;
  }
  auto context = std::make_shared<RequestContext>();
  const std::string& sent = request.getHeader(std::string(kRequestIdHeader));
  // The id is echoed and logged, so one that looks like a secret is not used.
  const bool taken = isRequestId(sent) && domain::scrub(sent, {.named = true}).counts.total() == 0;
  context->requestId = taken ? sent : makeRequestId();
  const Client client =
      resolveClient(peerOf(request), options_.forwardedHeader,
                    request.getHeader(std::string(headerName(options_.forwardedHeader))),
                    options_.trustedProxies);
  context->client = client.address;
  context->local = client.local;
  context->clientAddress = context->client.text();
  context->method = methodName(request);
  context->route = kUnmatched;
  context->startedAt = Clock::now();
  context->deadline = context->startedAt + options_.requestDeadline;
  if (options_.takeOn) {
    context->load = options_.takeOn(request);
  }
  context->onEnd = [self = shared_from_this()](const RequestContext& ending) {
    self->ended(ending);
  };
  options_.traffic->inFlight.fetch_add(1);
  options_.metrics->requestsInFlight.add();
  attachContext(request, context);
  return context;
}

drogon::HttpResponsePtr Dispatcher::refusedByFramework(drogon::HttpStatusCode status,
                                                       const drogon::HttpRequest& request) {
  const RequestContextPtr context = ensureContext(request);
  const RejectReason reason = reasonForStatus(status);
  if (reason == RejectReason::bodyTooLarge) {
    return reject(*context, reason, tooLarge(maxBodyBytes(request)).details);
  }
  return reject(*context, reason);
}

void Dispatcher::beforeSending(const drogon::HttpRequest& request, drogon::HttpResponse& response) {
  const RequestContextPtr context = ensureContext(request);
  context->status = response.statusCode();
  context->duration = Clock::now() - context->startedAt;
  response.addHeader("X-Request-Id", context->requestId);
  if (context->load) {
    context->load->holdAnswer(response.body().size());
  }
  if (options_.traffic->draining) {
    response.setCloseConnection(true);
  }
  if (context->streams && response.ifCloseConnection()) {
    // Drogon does not stream on a connection that is to be closed, so it is closed at the end of
    // the stream.
    context->closeAfterStream = true;
    response.addHeader("Connection", "close");
    response.setCloseConnection(false);
  }
}

void Dispatcher::ended(const RequestContext& context) {
  options_.traffic->inFlight.fetch_sub(1);
  options_.metrics->requestsInFlight.subtract();
  if (context.status != 0) {
    routeMetrics_.at(context.route).answered(context.status, context.duration);
  }
  const std::string_view code =
      context.rejectReason ? specOf(*context.rejectReason).code : std::string_view{};
  if (!code.empty()) {
    options_.metrics->rejections[*context.rejectReason, context.keyName()].add();
  }
  for (const RejectReason reason : context.rejectedEntries) {
    options_.metrics->rejections[reason, context.keyName()].add();
  }
  const LogLevel level = levelFor(context.status);
  if (!telemetry::logEnabled(level)) {
    return;
  }
  const std::chrono::duration<double> duration =
      context.status != 0 ? context.duration : Clock::now() - context.startedAt;
  telemetry::log(level, context.status != 0 ? "http.request" : "http.client_gone",
                 {{"requestId", context.requestId},
                  {"method", context.method},
                  {"route", context.route},
                  {"status", context.status},
                  {"ms", std::round(duration.count() * 1e6) / 1e3},
                  {"client", context.clientAddress},
                  {"key", context.keyName()},
                  {"code", code}});
}

}  // namespace auth_errors::controllers
