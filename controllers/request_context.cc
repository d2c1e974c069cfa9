#include "controllers/request_context.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <sys/random.h>

namespace auth_errors::controllers {
namespace {

constexpr const char* kAttribute = "auth-errors.context";

}  // namespace

bool isRequestId(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::string makeRequestId() {
  std::array<std::uint8_t, 16> random{};
  std::span<std::uint8_t> rest(random);
  while (!rest.empty()) {
    const ssize_t got = ::getrandom(rest.data(), rest.size(), 0);
    if (got < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  id.reserve(2 * random.size());
  for (const std::uint8_t byte : random) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 0xFU];
  }
  return id;
}

RequestContextPtr contextOf(const drogon::HttpRequest& request) {
  return request.attributes()->get<RequestContextPtr>(kAttribute);
}

void attachContext(const drogon::HttpRequest& request, RequestContextPtr context) {
  request.attributes()->insert(kAttribute, std::any(std::move(context)));
}

drogon::HttpResponsePtr reject(RequestContext& context, RejectReason reason,
                               const ProblemDetails& details) {
  context.rejectReason = reason;
  return problemResponse(reason, context.requestId, details);
}

}  // namespace auth_errors::controllers
