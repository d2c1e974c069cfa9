// What the service knows of one request beside its content: id, client, key, route, outcome. Made
// when the request is parsed, kept in its attributes, ended with it; ending writes the access log
// and the metrics, also when the client went away. The request's IO loop owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include "controllers/http/memory_budget.h"
#include "controllers/http/problem.h"
#include "domain/values/ip_address.h"
#include "platform/security/key_ring.h"

namespace auth_errors::controllers {

inline constexpr std::string_view kRequestIdHeader = "x-request-id";

// 1 to 64 characters of A-Z a-z 0-9 . _ -
bool isRequestId(std::string_view text);
// 128 random bits in hex.
std::string makeRequestId();

struct RequestContext {
  std::string requestId;
  domain::IpAddress client;
  bool local = false;          // the client is on this machine, and not behind a proxy
  std::string clientAddress;   // its address as text
  security::CallerPtr caller;  // null: the request has brought no valid key
  std::string_view method;
  std::string_view route;  // the pattern of the table, never the path that was sent
  std::vector<std::string> pathParameters;
  std::chrono::steady_clock::time_point startedAt;
  std::chrono::steady_clock::time_point deadline;  // by when the database must have answered
  int status = 0;                                  // 0: nothing was sent
  std::optional<RejectReason> rejectReason;
  std::vector<RejectReason> rejectedEntries;  // of a batch that itself was answered with 200
  bool streams = false;  // the answer goes on after its head was sent, and ends by itself
  bool closeAfterStream = false;
  std::chrono::duration<double> duration{};

  RequestContext() = default;
  RequestContext(const RequestContext&) = delete;
  RequestContext& operator=(const RequestContext&) = delete;
  RequestContext(RequestContext&&) = delete;
  RequestContext& operator=(RequestContext&&) = delete;
  ~RequestContext() {
    if (onEnd) {
      onEnd(*this);
    }
  }

  // The name of the caller's key, or nothing.
  [[nodiscard]] std::string_view keyName() const {
    return caller ? std::string_view(caller->key().name) : std::string_view{};
  }
  // The default rate is for strangers; a rate of the key's own holds on loopback too.
  [[nodiscard]] bool rateLimited() const { return caller && (caller->key().rateLimit || !local); }
  // Takes further tokens from the key's bucket, which may go into debt: a request has paid for one
  // entry, so a batch of n owes n - 1 more.
  void charge(std::int64_t tokens) const {
    if (rateLimited()) {
      caller->charge(tokens, startedAt);
    }
  }

  std::function<void(const RequestContext&)> onEnd;
  // What it holds of its connection's memory; null without a connection.
  std::shared_ptr<RequestLoad> load;
};

using RequestContextPtr = std::shared_ptr<RequestContext>;

// Null for a request that the dispatcher has not seen.
RequestContextPtr contextOf(const drogon::HttpRequest& request);
void attachContext(const drogon::HttpRequest& request, RequestContextPtr context);

// Gives the memory of a body back that was read to its end; nothing may refer to it any more.
void releaseBody(drogon::HttpRequest& request);

// The path's parameter as an id, which is written in one way only; other texts name nothing.
std::optional<std::int64_t> idOf(const RequestContext& context);

// The trace that the request says it belongs to, if it does so validly.
std::optional<std::string> traceparentOf(const drogon::HttpRequest& request);

// The refusal as a response; notes the reason for metrics and log.
drogon::HttpResponsePtr reject(RequestContext& context, RejectReason reason,
                               const ProblemDetails& details = {});

drogon::HttpResponsePtr reject(RequestContext& context, const Refusal& refusal);

// The refusal of one entry of a batch, for its result; noted as well.
encoding::JsonText rejectEntry(RequestContext& context, RejectReason reason,
                               const ProblemDetails& details = {});

}  // namespace auth_errors::controllers
