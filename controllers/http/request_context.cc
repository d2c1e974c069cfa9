#include "controllers/http/request_context.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "domain/values/ascii.h"
#include "domain/values/hex.h"
#include "domain/values/traceparent.h"
#include "platform/hashing/digest.h"

namespace auth_errors::controllers {
namespace {

constexpr const char* kAttribute = "auth-errors.context";

}  // namespace

bool isRequestId(std::string_view text) { return domain::isPlainName(text); }

std::string makeRequestId() {
  std::array<std::byte, 16> random{};
  hashing::fillRandom(random);
  return domain::toHex(random);
}

RequestContextPtr contextOf(const drogon::HttpRequest& request) {
  return request.attributes()->get<RequestContextPtr>(kAttribute);
}

void attachContext(const drogon::HttpRequest& request, RequestContextPtr context) {
  request.attributes()->insert(kAttribute, std::any(std::move(context)));
}

void releaseBody(drogon::HttpRequest& request) {
  // Assigning a string without allocated memory would not release the body's capacity.
  std::string allocated;
  allocated.reserve(2 * sizeof allocated);
  request.setBody(std::move(allocated));
}

std::optional<std::int64_t> idOf(const RequestContext& context) {
  const std::string_view text = context.pathParameters.front();
  std::int64_t id = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == end;
  return whole && id > 0 && !text.starts_with('0') ? std::optional(id) : std::nullopt;
}

std::optional<std::string> traceparentOf(const drogon::HttpRequest& request) {
  return domain::readTraceparent(request.getHeader(std::string(domain::kTraceparentHeader)));
}

drogon::HttpResponsePtr reject(RequestContext& context, RejectReason reason,
                               const ProblemDetails& details) {
  context.rejectReason = reason;
  return problemResponse(reason, context.requestId, details);
}

drogon::HttpResponsePtr reject(RequestContext& context, const Refusal& refusal) {
  return reject(context, refusal.reason, refusal.details);
}

encoding::JsonText rejectEntry(RequestContext& context, RejectReason reason,
                               const ProblemDetails& details) {
  context.rejectedEntries.push_back(reason);
  return problemJson(reason, details);
}

}  // namespace auth_errors::controllers
