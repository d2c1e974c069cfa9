// A request as its handler sees it: parameters, caller, deadline, and how to refuse it. Cheap to
// copy; belongs to the request's I/O loop.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include "controllers/http/request_context.h"

namespace auth_errors::controllers {

class Call {
 public:
  explicit Call(drogon::HttpRequestPtr request)
      : request_(std::move(request)), context_(contextOf(*request_)) {}

  [[nodiscard]] drogon::HttpRequest& request() const { return *request_; }
  [[nodiscard]] RequestContext& context() const { return *context_; }

  [[nodiscard]] std::string_view body() const { return request_->body(); }
  [[nodiscard]] const std::string& query() const { return request_->query(); }
  // The path's {id}; the id 0, which is no row, for an invalid one.
  template <typename Id>
  [[nodiscard]] Id id() const {
    return std::optional<Id>(idOf(*context_)).value_or(Id());
  }
  // The deadline for the database.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const {
    return context_->deadline;
  }
  // The actor of the request: the name of the caller's key.
  [[nodiscard]] std::string actor() const { return std::string(context_->keyName()); }
  // The trace context sent with the request, if it is valid.
  [[nodiscard]] std::optional<std::string> traceparent() const { return traceparentOf(*request_); }

  [[nodiscard]] drogon::HttpResponsePtr reject(const Refusal& refusal) const {
    return controllers::reject(*context_, refusal);
  }
  [[nodiscard]] drogon::HttpResponsePtr reject(RejectReason reason,
                                               const ProblemDetails& details = {}) const {
    return controllers::reject(*context_, reason, details);
  }

 private:
  drogon::HttpRequestPtr request_;
  RequestContextPtr context_;
};

}  // namespace auth_errors::controllers
