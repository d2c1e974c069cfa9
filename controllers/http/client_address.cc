#include "controllers/http/client_address.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "domain/values/ascii.h"

namespace auth_errors::controllers {
namespace {

// Real proxy chains are never longer; following longer ones would only help attackers.
constexpr std::size_t kMaxForwardedHops = 32;

// Removes and returns the last comma-separated entry of `list`; commas inside quotes do not
// separate.
std::string_view takeLastEntry(std::string_view& list) {
  bool quoted = false;
  for (std::size_t at = list.size(); at-- > 0;) {
    if (list[at] == '"') {
      quoted = !quoted;
    } else if (list[at] == ',' && !quoted) {
      const std::string_view entry = list.substr(at + 1);
      list = list.substr(0, at);
      return domain::trimmed(entry, domain::kBlanks);
    }
  }
  const std::string_view entry = list;
  list = {};
  return domain::trimmed(entry, domain::kBlanks);
}

bool isPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 && domain::allOf(text, domain::kDigitChar);
}

// An address, with or without a port: "1.2.3.4", "1.2.3.4:80", "::1", "[::1]", "[::1]:80".
std::optional<IpAddress> parseNode(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !(rest.starts_with(':') && isPort(rest.substr(1)))) {
      return std::nullopt;
    }
    return IpAddress::parse(text.substr(1, end - 1));
  }
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos) {
    return isPort(text.substr(colon + 1)) ? IpAddress::parse(text.substr(0, colon)) : std::nullopt;
  }
  return IpAddress::parse(text);
}

// The for= parameter of one element of a Forwarded header (RFC 7239).
std::optional<IpAddress> parseForwardedElement(std::string_view element) {
  while (!element.empty()) {
    const auto end = std::min(element.find(';'), element.size());
    const std::string_view pair = domain::trimmed(element.substr(0, end), domain::kBlanks);
    element = end < element.size() ? element.substr(end + 1) : std::string_view{};
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || !domain::equalsWord(pair.substr(0, equals), "for")) {
      continue;
    }
    std::string_view value = pair.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    return parseNode(value);
  }
  return std::nullopt;
}

}  // namespace

std::string_view headerName(ForwardedHeader header) {
  return header == ForwardedHeader::forwarded ? "forwarded" : "x-forwarded-for";
}

Client resolveClient(const IpAddress& peer, ForwardedHeader header, std::string_view headerValue,
                     std::span<const IpNetwork> trusted) {
  const auto isTrusted = [&](const IpAddress& address) {
    return std::ranges::any_of(trusted, [&](const IpNetwork& n) { return n.contains(address); });
  };
  IpAddress client = peer;
  for (std::size_t hop = 0; hop < kMaxForwardedHops; ++hop) {
    if (headerValue.empty() || !isTrusted(client)) {
      break;
    }
    const std::string_view entry = takeLastEntry(headerValue);
    const auto address =
        header == ForwardedHeader::forwarded ? parseForwardedElement(entry) : parseNode(entry);
    if (!address) {
      break;
    }
    client = *address;
  }
  return {.address = client, .local = peer.isLoopback() && !isTrusted(peer)};
}

}  // namespace auth_errors::controllers
